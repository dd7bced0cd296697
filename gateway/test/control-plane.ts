import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import { checkExits, type ExitCheck, type RotationOrder, type RotationReport } from '@cellhop/contract/exit-checks';
import { parseNetwork } from '@cellhop/contract/network';
import {
  type Access,
  type Authorization,
  authorize,
  authorizeAddress,
  type Credit,
  type CreditState,
  dnsPorts,
  end,
  hello,
  update,
  type Usage,
  watch,
  type WatchResponse,
} from '@cellhop/contract/gateway';
import type { Exit } from '@cellhop/contract/exits';
import { readRefusedPage } from '@cellhop/contract/refused-pages';
import { REFUSED_DESTINATIONS_PAGE } from '@cellhop/contract/refused-destinations';

type WithoutId<T> = T extends { id: string } ? Omit<T, 'id'> & { id?: string } : never;
/** Without an id, exits with equal fields are one. */
export type FakeExit = WithoutId<Exit>;

export interface FakeConnection {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  access: Access;
  /** Why the connection has ended, or gets no further grant. */
  reason: string | undefined;
  readonly exit: FakeExit;
  /** Undefined: as from a control plane that knows none. */
  limits: ConnectionLimits | undefined;
  dnsPort: number | null;
  /** The maximum of `grantedBytes`. */
  allowedBytes: number;
  /** The most bytes granted ahead of the usage; less than a node wants makes tunnels wait. */
  grantStepBytes: number;
  state: CreditState;
  grantedBytes: number;
  usedBytes: number;
  uploadedBytes: number;
  isExitLost: boolean;
  /** The refusals that were reported, in their order. */
  readonly refusals: NonNullable<Usage['refusal']>[];
  /** The total that came with `end`. */
  endedAtBytes: number | undefined;
}

const TOKEN = 'token-of-the-node';
const MIB = 1_048_576;
const SILENT = -1;

/** A fake control plane over real HTTP that validates every call against the contract and counts it. */
export class ControlPlane {
  readonly token = TOKEN;
  readonly connections = new Map<string, FakeConnection>();
  readonly calls = {
    hello: 0,
    authorize: 0,
    authorizeAddress: 0,
    dnsPorts: 0,
    update: 0,
    end: 0,
    watch: 0,
    exitChecks: 0,
  };
  /** Client addresses received with credentials. */
  readonly clientAddresses = new Set<string>();
  /** Includes requests that wait for their response. */
  authorizationsRequested = 0;
  /** The usernames of these requests, in their order. */
  readonly authorizedNames: string[] = [];
  /** Sheds requests to `authorize` and `authorizeAddress` with 503 while as many wait for `delaysAuthorizationsUntil`. */
  authorizationsAtOnceMax = Number.POSITIVE_INFINITY;
  delaysAuthorizationsUntil: Promise<unknown> | undefined;
  authorizationsShed = 0;
  #authorizationsWaiting = 0;
  readonly runIds = new Set<string>();
  /** Resets the TCP connection of each request. */
  isUnavailable = false;
  /** Never responds to requests that arrive while it is set, as on a dead connection. */
  isUnresponsive = false;
  /** A batch that contains one of these ids is refused as a whole. */
  readonly refused = new Set<string>();
  /** Refuses all reports. */
  isRefusing = false;
  /** Resets the TCP connection of each long poll. */
  isWatchUnavailable = false;
  helloResponse: object = {
    contractVersion: 2,
    oldestContractVersion: 2,
    publicUrl: 'http://localhost:3000',
    echoUrls: [],
    refusedUpstreams: [],
    purchaseNetworks: [],
  };
  /** Undefined: as from a control plane that knows none. */
  refusedDestinations: { revision: string; entries: string[] } | undefined;
  /** Exits whose check is due; each is handed out once. Only a node that knows an echo asks for them. */
  dueExits: unknown[] = [];
  lostExitIds: string[] = [];
  echoAloneIds: string[] = [];
  /** Exits whose other capabilities are tested with their checks. */
  capabilityIds: string[] = [];
  /** Links to call; each order is handed out once. */
  rotationOrders: RotationOrder[] = [];
  rotatingIds: string[] | undefined;
  readonly rotationReports: RotationReport[] = [];
  /** What nodes have reported. */
  readonly exitChecks: ExitCheck[] = [];
  readonly suspectIds: string[] = [];
  /** Added to the credits of each `update`: a newer version may return what an older node cannot parse. */
  unknownCredits: unknown[] = [];
  /** Responses are delayed until this promise settles. */
  respondsAfter: Promise<unknown> | undefined;
  /** Responses to `authorizeAddress` are decided at the request, and sent when this promise settles. */
  delaysAddressesUntil: Promise<unknown> | undefined;
  /** Open long polls of nodes that are still connected. */
  readonly held = new Set<(response: WatchResponse) => void>();
  readonly #exitIds = new Map<string, string>();
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(port = 0): Promise<this> {
    this.#server = createServer((request, response) => {
      void this.#respond(request).then(({ status, body }) => {
        if (status === 0) return request.socket.destroy();
        if (status === SILENT) return undefined;
        return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  stop(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  sell(overrides: Partial<FakeConnection> = {}): FakeConnection {
    const connection: FakeConnection = {
      id: randomUUID(),
      username: `user-${this.connections.size + 1}`,
      password: 'a-password-of-a-connection',
      access: { revision: 1, passwordRevision: 1, allowList: [] },
      reason: undefined,
      exit: { kind: 'local-address', address: null },
      limits: undefined,
      dnsPort: null,
      allowedBytes: Number.MAX_SAFE_INTEGER,
      grantStepBytes: 64 * MIB,
      state: 'open',
      grantedBytes: 0,
      usedBytes: 0,
      uploadedBytes: 0,
      isExitLost: false,
      refusals: [],
      endedAtBytes: undefined,
      ...overrides,
    };
    this.connections.set(connection.id, connection);
    return connection;
  }

  /** Ends the connection and responds to the open long polls. */
  announceEnd(connection: FakeConnection, reason?: string): void {
    connection.state = 'ended';
    connection.reason = reason;
    this.#announce({ ended: [connection.id], ...(reason !== undefined && { reasons: { [connection.id]: reason } }) });
  }

  /** Changes the password or the allow-list, without an announcement. */
  changeAccess(connection: FakeConnection, changes: { password?: string; allowList?: string[] }): Access {
    const before = connection.access;
    const { password, allowList = before.allowList } = changes;
    const revision = before.revision + 1;
    const passwordRevision = password === undefined ? before.passwordRevision : revision;
    const access = { revision, passwordRevision, allowList };
    Object.assign(connection, { access, password: password ?? connection.password });
    return access;
  }

  /** Responds to the open long polls with the current access of the connection. */
  announceAccess(connection: FakeConnection): void {
    this.#announce({
      ended: [],
      changed: [{ connectionId: connection.id, access: connection.access }],
      areAllowListsChanged: true,
    });
  }

  /** Refuses these destinations, and responds to the open long polls. */
  refuse(...entries: string[]): void {
    this.refusedDestinations = { revision: randomUUID(), entries };
    this.#announce({ ended: [], areDestinationsChanged: true });
  }

  #announce(response: WatchResponse): void {
    for (const respond of this.held) respond(response);
  }

  async #respond(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === authorize.url) this.authorizationsRequested += 1;
    if (this.isUnresponsive) return { status: SILENT, body: undefined };
    if (this.isUnavailable) return { status: 0, body: undefined };
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return { status: 401, body: {} };
    await this.respondsAfter;
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const isReport = request.url === update.url || request.url === end.url;
    if (isReport && this.#isRefused(body)) return REFUSAL;
    if (request.url === hello.url) return this.#hello(body);
    if ((request.url === authorize.url || request.url === authorizeAddress.url) && !(await this.#admitted()))
      return SHED;
    if (request.url === authorize.url) return success(this.#authorize(body));
    if (request.url === authorizeAddress.url) {
      const authorization = this.#authorizeAddress(body);
      await this.delaysAddressesUntil;
      return success(authorization);
    }
    if (request.url === dnsPorts.url) return this.#dnsPorts(body);
    if (request.url === readRefusedPage.url) return this.#refusedPage(body);
    if (request.url === watch.url) return this.#watch(request, body);
    if (request.url === checkExits.url) return this.#checkExits(body);
    if (request.url === update.url) return success([...this.unknownCredits, ...this.#update(body)]);
    if (request.url === end.url) return success(this.#end(body));
    return { status: 404, body: {} };
  }

  async #admitted(): Promise<boolean> {
    if (this.#authorizationsWaiting >= this.authorizationsAtOnceMax) {
      this.authorizationsShed += 1;
      return false;
    }
    this.#authorizationsWaiting += 1;
    await this.delaysAuthorizationsUntil;
    this.#authorizationsWaiting -= 1;
    return true;
  }

  #isRefused(body: unknown): boolean {
    const { usages } = end.body.parse(body);
    return (this.isRefusing && usages.length > 0) || usages.some(({ connectionId }) => this.refused.has(connectionId));
  }

  #hello(body: unknown) {
    hello.body.parse(body);
    this.calls.hello += 1;
    const { refusedDestinations: list } = this;
    return success({ ...this.helloResponse, ...(list && { refusedRevision: list.revision }) });
  }

  #refusedPage(body: unknown) {
    const { after = '' } = readRefusedPage.body.parse(body);
    const { revision = '', entries = [] } = this.refusedDestinations ?? {};
    const rest = entries.toSorted().filter((entry) => entry > after);
    const page = rest.slice(0, REFUSED_DESTINATIONS_PAGE);
    return success({ revision, entries: page, isLast: page.length === rest.length });
  }

  async #watch(request: IncomingMessage, body: unknown) {
    if (this.isWatchUnavailable) return { status: 0, body: {} };
    watch.body.parse(body);
    this.calls.watch += 1;
    const { promise, resolve: respond } = Promise.withResolvers<WatchResponse>();
    const gone = () => this.held.delete(respond);
    this.held.add(respond);
    request.socket.once('close', gone);
    const response = await promise;
    request.socket.off('close', gone);
    this.held.clear();
    return success(response);
  }

  #authorize(body: unknown): Authorization {
    const { username, password, runId, clientAddress } = authorize.body.parse(body);
    this.calls.authorize += 1;
    this.authorizedNames.push(username);
    this.runIds.add(runId);
    const found = [...this.connections.values()].find((each) => each.username === username);
    if (!found || found.password !== password) return { isAuthorized: false };
    if (clientAddress !== undefined) this.clientAddresses.add(clientAddress);
    return this.#open(found);
  }

  #authorizeAddress(body: unknown): Authorization {
    const { clientAddress, runId, dnsPort } = authorizeAddress.body.parse(body);
    this.calls.authorizeAddress += 1;
    this.runIds.add(runId);
    const served = [...this.connections.values()].filter(
      ({ state, ...sold }) => state !== 'ended' && (dnsPort === undefined || dnsPort === sold.dnsPort),
    );
    const longestPrefixBits = ({ access }: FakeConnection) =>
      Math.max(
        ...access.allowList
          .map((text) => parseNetwork(text)!)
          .map((network) => (network.contains(clientAddress) ? network.prefixBits : -1)),
      );
    const longest = Math.max(0, ...served.map(longestPrefixBits));
    const [found, other] = served.filter((connection) => longestPrefixBits(connection) === longest);
    if (other) return { isAuthorized: false, reason: 'ADDRESS_SHARED' };
    return found ? this.#open(found) : { isAuthorized: false };
  }

  #dnsPorts(body: unknown) {
    dnsPorts.body.parse(body);
    this.calls.dnsPorts += 1;
    const open = [...this.connections.values()].filter(({ state }) => state !== 'ended');
    const ports = open.flatMap(({ dnsPort, access }) => {
      const { allowList } = access;
      return dnsPort !== null && allowList.length > 0 ? [{ port: dnsPort, allowList }] : [];
    });
    return success(ports);
  }

  #checkExits(body: unknown) {
    this.calls.exitChecks += 1;
    const { checks, suspectIds, wanted, rotations = [], rotationsWanted = 0 } = checkExits.body.parse(body);
    this.rotationReports.push(...rotations);
    this.exitChecks.push(...checks);
    this.suspectIds.push(...suspectIds);
    return success({
      due: this.dueExits.splice(0, wanted),
      lostIds: this.lostExitIds,
      rotations: this.rotationOrders.splice(0, rotationsWanted),
      rotatingIds: this.rotatingIds,
      echoAloneIds: this.echoAloneIds,
      capabilityIds: this.capabilityIds,
    });
  }

  #open(found: FakeConnection): Authorization {
    const { reason, access, dnsPort, limits } = found;
    if (found.state === 'ended') return { isAuthorized: false, ...(reason !== undefined && { reason }) };
    found.endedAtBytes = undefined;
    this.#grant(found, MIB);
    const { id, exit, usedBytes, uploadedBytes, grantedBytes, state } = found;
    const credit = { connectionId: id, usedBytes, uploadedBytes, grantedBytes, state, reason: found.reason };
    return {
      isAuthorized: true,
      exit: { ...exit, id: exit.id ?? this.#exitId(exit) },
      access,
      ...(limits && { limits }),
      dnsPort,
      ...credit,
    };
  }

  #exitId(exit: FakeExit): string {
    const fields = JSON.stringify(exit);
    const id = this.#exitIds.get(fields) ?? randomUUID();
    this.#exitIds.set(fields, id);
    return id;
  }

  #update(body: unknown): Credit[] {
    const { usages, runId } = update.body.parse(body);
    this.calls.update += 1;
    this.runIds.add(runId);
    return usages.map((usage) => {
      const { connectionId, isExitLost, wantedBytes, accessRevision, areLimitsWanted, refusal } = usage;
      const found = this.connections.get(connectionId);
      if (!found) return { connectionId, grantedBytes: usage.usedBytes, state: 'ended' };
      count(found, usage);
      found.isExitLost ||= isExitLost;
      if (refusal) found.refusals.push(refusal);
      this.#grant(found, wantedBytes);
      const { grantedBytes, state, reason, access, limits } = found;
      return {
        connectionId,
        grantedBytes,
        state,
        reason,
        ...(accessRevision < access.revision && { access }),
        ...(areLimitsWanted && limits && { limits }),
      };
    });
  }

  #end(body: unknown) {
    const { usages } = end.body.parse(body);
    this.calls.end += 1;
    for (const { connectionId, usedBytes, uploadedBytes, refusal } of usages) {
      const found = this.connections.get(connectionId);
      if (!found) continue;
      if (refusal) found.refusals.push(refusal);
      count(found, { usedBytes, uploadedBytes });
      found.endedAtBytes = usedBytes;
    }
    return { acknowledged: usages.map(({ connectionId }) => connectionId) };
  }

  #grant(connection: FakeConnection, wantedBytes: number): void {
    const aheadBytes = Math.min(wantedBytes, connection.grantStepBytes);
    const grantedBytes = Math.min(connection.allowedBytes, connection.usedBytes + aheadBytes);
    connection.grantedBytes = Math.max(connection.grantedBytes, grantedBytes);
    const isAll = connection.grantedBytes === connection.allowedBytes;
    if (connection.state !== 'ended') connection.state = isAll ? 'final' : 'open';
  }
}

function count(
  connection: FakeConnection,
  { usedBytes, uploadedBytes }: Pick<FakeConnection, 'usedBytes' | 'uploadedBytes'>,
) {
  connection.usedBytes = Math.max(connection.usedBytes, usedBytes);
  connection.uploadedBytes = Math.max(connection.uploadedBytes, uploadedBytes);
}

const SHED = {
  status: 503,
  body: { statusCode: 503, error: 'Service Unavailable', code: 'UNAVAILABLE', message: 'Busy' },
};

const REFUSAL = {
  status: 400,
  body: {
    statusCode: 400,
    error: 'Bad Request',
    code: 'VALIDATION',
    message: 'Request is not valid',
    details: [{ path: 'body.usages.0.usedBytes', message: 'Too big' }],
  },
};

const success = (data: unknown) => ({ status: 200, body: { data } });
