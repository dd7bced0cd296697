import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { parseNetwork } from '@cellhop/contract/network';
import {
  type Access,
  type Authorization,
  authorize,
  authorizeAddress,
  type Credit,
  type CreditState,
  end,
  type Exit,
  hello,
  update,
  watch,
  type WatchAnswer,
} from '@cellhop/contract/gateway';

export interface FakeConnection {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  /** Undefined: the control plane is older than revisions. */
  access: Access | undefined;
  /** Why it has ended, or gets no more. */
  reason: string | undefined;
  readonly exit: Exit;
  /** The highest total that may ever be granted. */
  allowedBytes: number;
  /** How far a grant may run ahead of the usage; lower than wanted makes tunnels wait. */
  grantStepBytes: number;
  state: CreditState;
  grantedBytes: number;
  usedBytes: number;
  uploadedBytes: number;
  isExitLost: boolean;
  /** The total that came with `end`. */
  endedAtBytes: number | undefined;
}

const TOKEN = 'token-of-the-node';
const MIB = 1_048_576;
const SILENT = -1;

/** A control plane over real HTTP that checks every call against the contract and counts them. */
export class ControlPlane {
  readonly token = TOKEN;
  readonly connections = new Map<string, FakeConnection>();
  readonly calls = { hello: 0, authorize: 0, authorizeAddress: 0, update: 0, end: 0, watch: 0 };
  /** The addresses that came with credentials. */
  readonly clientAddresses = new Set<string>();
  /** Those that wait for their answer included. */
  authorizationsAsked = 0;
  readonly runIds = new Set<string>();
  /** Resets whoever calls. */
  isAway = false;
  /** Keeps whoever calls waiting, also when it speaks again: such a connection is dead. */
  isSilent = false;
  /** Whatever names one of these is refused as a whole, as a batch with a mistake in it is. */
  readonly poisoned = new Set<string>();
  /** Refuses all reports. */
  isRefusing = false;
  /** Undefined: it is older than the calls `hello` and `watch`. */
  greeting: unknown = { contractVersion: 4, oldestContractVersion: 1, publicUrl: 'http://localhost:3000' };
  /** Joins the answers to reports, as a newer version may say what an older node does not understand. */
  strangeAnswers: unknown[] = [];
  /** Until then nobody gets an answer. */
  answersAfter: Promise<unknown> | undefined;
  /** Calls that wait for ends, of nodes that are still there. */
  readonly held = new Set<(answer: WatchAnswer) => void>();
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(port = 0): Promise<this> {
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(({ status, body }) => {
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
      allowedBytes: Number.MAX_SAFE_INTEGER,
      grantStepBytes: 64 * MIB,
      state: 'open',
      grantedBytes: 0,
      usedBytes: 0,
      uploadedBytes: 0,
      isExitLost: false,
      endedAtBytes: undefined,
      ...overrides,
    };
    this.connections.set(connection.id, connection);
    return connection;
  }

  /** Ends it and tells whoever waits for that. */
  tellEnd(connection: FakeConnection, reason?: string): void {
    connection.state = 'ended';
    connection.reason = reason;
    this.#tell({ ended: [connection.id], ...(reason !== undefined && { reasons: { [connection.id]: reason } }) });
  }

  /** Changes who may use it. */
  change(connection: FakeConnection, { password, allowList }: { password?: string; allowList?: string[] }): Access {
    const before = connection.access!;
    const revision = before.revision + 1;
    const passwordRevision = password === undefined ? before.passwordRevision : revision;
    const access = { revision, passwordRevision, allowList: allowList ?? before.allowList };
    Object.assign(connection, { access, password: password ?? connection.password });
    return access;
  }

  /** Tells whoever waits for that. */
  tellChange(connection: FakeConnection): void {
    this.#tell({
      ended: [],
      changed: [{ connectionId: connection.id, access: connection.access! }],
      areAllowListsChanged: true,
    });
  }

  #tell(answer: WatchAnswer): void {
    for (const tell of this.held) tell(answer);
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === authorize.url) this.authorizationsAsked += 1;
    if (this.isSilent) return { status: SILENT, body: undefined };
    if (this.isAway) return { status: 0, body: undefined };
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return { status: 401, body: {} };
    await this.answersAfter;
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const isReport = request.url === update.url || request.url === end.url;
    if (isReport && this.#isRefused(body)) return REFUSAL;
    if (request.url === hello.url) return this.#greet(body);
    if (request.url === authorize.url) return success(this.#authorize(body));
    if (request.url === authorizeAddress.url) return success(this.#authorizeAddress(body));
    if (request.url === watch.url) return this.#watch(request, body);
    if (request.url === update.url) return success([...this.strangeAnswers, ...this.#update(body)]);
    if (request.url === end.url) return success(this.#end(body));
    return { status: 404, body: {} };
  }

  #isRefused(body: unknown): boolean {
    const { usages } = end.body.parse(body);
    return (this.isRefusing && usages.length > 0) || usages.some(({ connectionId }) => this.poisoned.has(connectionId));
  }

  #greet(body: unknown) {
    hello.body.parse(body);
    this.calls.hello += 1;
    return this.greeting === undefined ? { status: 404, body: {} } : success(this.greeting);
  }

  async #watch(request: IncomingMessage, body: unknown) {
    if (this.greeting === undefined) return { status: 404, body: {} };
    watch.body.parse(body);
    this.calls.watch += 1;
    const told = await new Promise<WatchAnswer>((answer) => {
      this.held.add(answer);
      const forget = () => this.held.delete(answer);
      request.socket.once('close', forget);
    });
    this.held.clear();
    return success(told);
  }

  #authorize(body: unknown): Authorization {
    const { username, password, runId, clientAddress } = authorize.body.parse(body);
    this.calls.authorize += 1;
    this.runIds.add(runId);
    const found = [...this.connections.values()].find((each) => each.username === username);
    if (!found || found.password !== password) return { isAuthorized: false };
    if (clientAddress !== undefined) this.clientAddresses.add(clientAddress);
    return this.#open(found);
  }

  #authorizeAddress(body: unknown): Authorization {
    const { clientAddress, runId } = authorizeAddress.body.parse(body);
    this.calls.authorizeAddress += 1;
    this.runIds.add(runId);
    const lists = ({ access, state }: FakeConnection) =>
      state !== 'ended' && access?.allowList.some((network) => parseNetwork(network)!.contains(clientAddress));
    const [found, other] = [...this.connections.values()].filter(lists);
    if (other) return { isAuthorized: false, reason: 'ADDRESS_SHARED' };
    return found ? this.#open(found) : { isAuthorized: false };
  }

  #open(found: FakeConnection): Authorization {
    const { reason, access } = found;
    if (found.state === 'ended') return { isAuthorized: false, ...(reason !== undefined && { reason }) };
    found.endedAtBytes = undefined;
    this.#grant(found, MIB);
    const { id, exit, usedBytes, uploadedBytes, grantedBytes, state } = found;
    const credit = { connectionId: id, usedBytes, uploadedBytes, grantedBytes, state, reason: found.reason };
    return { isAuthorized: true, exit, access, ...credit };
  }

  #update(body: unknown): Credit[] {
    const { usages, runId } = update.body.parse(body);
    this.calls.update += 1;
    this.runIds.add(runId);
    return usages.map(({ connectionId, usedBytes, uploadedBytes, isExitLost, wantedBytes, accessRevision = 0 }) => {
      const found = this.connections.get(connectionId);
      if (!found) return { connectionId, grantedBytes: usedBytes, state: 'ended' };
      count(found, { usedBytes, uploadedBytes });
      found.isExitLost ||= isExitLost;
      this.#grant(found, wantedBytes);
      const { grantedBytes, state, reason, access } = found;
      return {
        connectionId,
        grantedBytes,
        state,
        reason,
        ...(access && accessRevision < access.revision && { access }),
      };
    });
  }

  #end(body: unknown) {
    const { usages } = end.body.parse(body);
    this.calls.end += 1;
    for (const { connectionId, usedBytes, uploadedBytes } of usages) {
      const found = this.connections.get(connectionId);
      if (!found) continue;
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
