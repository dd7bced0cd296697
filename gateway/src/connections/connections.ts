import type { Access, Credit as CreditGrant, WatchResponse } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import { settlesWithin } from '../background.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { DnsPorts } from '../dns/dns-ports.ts';
import type { Exit } from '../exits/exit.ts';
import type { Exits } from '../exits/exits.ts';
import { type EndReason, creditEndReason } from '../flows/flow.ts';
import type { Limits } from '../limits.ts';
import { Credit } from '../metering/credit.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { type FailureCause, TunnelFailure } from '../statuses.ts';
import { type Credential, CredentialKey } from './access.ts';
import { AddressLogins, type Granted } from './address-logins.ts';
import { Connection, type Login } from './connection.ts';
import { refusalCause, endLabel } from './end-reasons.ts';
import { PasswordChecks } from './password-checks.ts';
import { PendingAuthorizations } from './pending-authorizations.ts';
import { RefusalCache } from './refusal-cache.ts';

interface ConnectionsSettings {
  readonly control: Pick<ControlClient, 'authorize' | 'authorizeAddress'>;
  readonly limits: Limits;
  readonly log: Logger;
  readonly exits: Pick<Exits, 'get'>;
  /** Called once for each connection that ends in this run. */
  readonly onEnd: (label: string) => void;
  /** The DNS ports of the connections. */
  readonly dnsPorts: Pick<DnsPorts, 'opened' | 'closed' | 'accessChanged'>;
}

/** The open connections of this run, indexed by username and client address for new tunnels and by id for grants. */
export class Connections {
  readonly #credentials = new CredentialKey();
  readonly #byUsername = new Map<string, Connection>();
  readonly #byId = new Map<string, Connection>();
  readonly #addresses: AddressLogins;
  readonly #authorizations = new PendingAuthorizations();
  readonly #refusals: RefusalCache;
  readonly #passwordChecks: PasswordChecks;
  /** Set when the node stops: no connection is opened any more. */
  #endReason: EndReason | undefined;
  #isDraining = false;
  /** Called when a connection's report is due, or a final total has to be delivered. The reporter sets it. */
  onReportDue: (connection?: Connection) => void = () => {};

  constructor(private readonly settings: ConnectionsSettings) {
    const { limits } = settings;
    const admit = (authorization: Granted, credential: Credential) => this.#admit(authorization, credential);
    const authorizeAddress = (address: string) => this.authorizeAddress(address);
    this.#addresses = new AddressLogins({ ...settings, admit, authorizeAddress });
    this.#refusals = new RefusalCache(limits.refusalCacheMs, limits.refusalsCached);
    this.#passwordChecks = new PasswordChecks(settings);
  }

  get open(): Connection[] {
    return [...this.#byId.values()].filter(({ isEnding }) => !isEnding);
  }

  get exitsInUse(): Set<Exit> {
    return new Set([...this.#byId.values()].map(({ exit }) => exit));
  }

  /** Its address is about to change. Connections go on. */
  resetTunnels(exit: Exit): void {
    for (const connection of this.#byId.values())
      if (connection.exit === exit) connection.closeFlows('address-changed');
  }

  get(id: string): Connection | undefined {
    return this.#byId.get(id);
  }

  /** Connections whose final total has not been acknowledged. */
  get ending(): Connection[] {
    return [...this.#byId.values()].filter(({ isEnding }) => isEnding);
  }

  /** The open connection with these credentials. */
  find(credentials: Credentials, clientAddress?: string): Login | undefined {
    const digest = this.#credentials.digest(credentials.password);
    const known = this.#byUsername.get(credentials.username);
    if (!this.#credentials.isEqual(known?.access.digest, digest) || !known || known.isEnding) return undefined;
    this.#passwordChecks.recheckWhenDue(known, credentials, clientAddress);
    return known.loginByPassword(known.access.digest ?? digest);
  }

  /** Keeps the refusal of a login for the owner of the username's connection, if it is open in this run. */
  loginRefused(username: string, cause: FailureCause): void {
    this.#byUsername.get(username)?.lastRefusal.record(cause);
  }

  /**
   * The open connection of this run that lists a client's address.
   * @throws TunnelFailure if the control plane has refused the address recently
   */
  findByAddress(address: string): Login | undefined {
    return this.#addresses.find(address);
  }

  /**
   * Has the control plane check credentials that are unknown in this run. Concurrent calls share one request.
   * @throws TunnelFailure `invalid-credentials` or why the connection has ended, `control-plane-unavailable` or `draining`
   */
  async authorize(credentials: Credentials, clientAddress?: string): Promise<Login> {
    const digest = this.#credentials.digest(credentials.password);
    const key = `${digest.toString('base64')} ${credentials.username}`;
    this.#refusals.check(key);
    const connection = await this.#share(key, () => this.#authorize(credentials, clientAddress, digest, key));
    return { connection, credential: { kind: 'password', digest } };
  }

  /**
   * Has the control plane find the connection that lists a client's address. Concurrent calls share one request.
   * @throws TunnelFailure `invalid-credentials`, also if the control plane is unavailable; `address-ambiguous` or `draining`
   */
  async authorizeAddress(address: string): Promise<Login> {
    const connection = await this.#share(`address ${address}`, () => this.#addresses.authorize(address));
    return { connection, credential: { kind: 'address', address } };
  }

  /**
   * Opens the connection that has a DNS port, for a client on its allow-list.
   * @throws TunnelFailure
   */
  async authorizeDnsClient(dnsPort: number, address: string): Promise<Connection> {
    return this.#share(`dns-port ${dnsPort}`, async () => {
      const authorization = await this.settings.control.authorizeAddress(address, dnsPort);
      // A control plane of another version may return a connection with another port.
      const isExpected = authorization.isAuthorized && authorization.dnsPort === dnsPort;
      if (!isExpected || authorization.state === 'ended') throw new TunnelFailure('invalid-credentials');
      return this.#admit(authorization, { kind: 'address', address });
    });
  }

  merge(grants: readonly CreditGrant[]): void {
    for (const grant of grants) {
      const connection = this.#byId.get(grant.connectionId);
      if (!connection) continue;
      connection.credit.merge(grant);
      connection.limits.update(grant.limits);
      this.#updateAccess(connection, grant.access);
    }
  }

  /**
   * Applies ends and access changes from the control plane.
   * @returns whether any of them was unknown in this run
   */
  applyChanges({ ended, reasons = {}, changed = [], areAllowListsChanged = false }: WatchResponse): boolean {
    const open = ended.flatMap((id) => this.#byId.get(id) ?? []).filter(({ isEnding }) => !isEnding);
    this.merge(open.map(({ id }) => ({ connectionId: id, grantedBytes: 0, state: 'ended', reason: reasons[id] })));
    const areUpdated = changed.map(({ connectionId, access }) => {
      const connection = this.#byId.get(connectionId);
      if (connection) return this.#updateAccess(connection, access);
      this.#authorizations.recordChange(connectionId, access);
      return false;
    });
    if (areAllowListsChanged) this.#addresses.clear();
    return open.length > 0 || areUpdated.includes(true) || areAllowListsChanged;
  }

  /** Closes a connection's tunnels and requests the delivery of its final total. */
  end(connection: Connection, end: EndReason): void {
    if (connection.isEnding) return;
    connection.isEnding = true;
    connection.closeFlows(end);
    this.settings.dnsPorts.closed(connection, end);
    const { usedBytes, reason } = connection.credit;
    const label = endLabel(end, reason);
    this.settings.onEnd(label);
    this.settings.log.info({ connectionId: connection.id, reason: label, usedBytes }, 'Connection ended');
    this.onReportDue();
  }

  /** Ends all connections; those with a pending authorization end as soon as they open. */
  endAll(reason: EndReason): void {
    this.#endReason = reason;
    for (const connection of this.open) this.end(connection, reason);
  }

  /**
   * After `endAll`: waits for pending authorizations and for the acknowledgement of all final totals.
   * @returns whether the control plane has acknowledged all final totals within this time
   */
  async waitForFinalTotals(withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    await settlesWithin(this.#authorizations.settled(), withinMs);
    const leftMs = Math.max(0, deadline - performance.now());
    const areDelivered = await this.#areEndsAcknowledged(this.ending, leftMs);
    if (!areDelivered) this.settings.log.error({ connections: this.ending.length }, 'Final totals were not delivered');
    return areDelivered;
  }

  /** From now on connections end as soon as nothing uses them: the node's next process needs what they were granted. */
  drain(): void {
    this.#isDraining = true;
    this.endIdle();
  }

  /** Ends connections without tunnels and DNS questions, which releases their unused grants. */
  endIdle(): void {
    const now = performance.now();
    const before = now - this.settings.limits.connectionIdleMs;
    for (const connection of this.open) {
      if (this.#isDraining && !connection.isBusy(now)) this.end(connection, 'shutdown');
      else if (connection.lastUsedAt <= before) this.end(connection, 'idle');
    }
  }

  /** Removes connections whose final totals the control plane has acknowledged. */
  acknowledged(connectionIds: readonly string[]): void {
    for (const id of connectionIds) {
      const connection = this.#byId.get(id);
      if (!connection?.isEnding) continue;
      this.#byId.delete(id);
      const { username } = connection;
      if (username !== undefined && this.#byUsername.get(username) === connection) this.#byUsername.delete(username);
      connection.acknowledgeEnd();
    }
  }

  #share(key: string, start: () => Promise<Connection>): Promise<Connection> {
    if (this.#endReason !== undefined) throw new TunnelFailure('draining');
    return this.#authorizations.share(key, start);
  }

  async #authorize(credentials: Credentials, clientAddress: string | undefined, digest: Buffer, key: string) {
    const { username } = credentials;
    const known = this.#byUsername.get(username);
    if (known?.isEnding) await this.#untilEndAcknowledged(known);
    const authorization = await this.settings.control.authorize(credentials, clientAddress);
    if (!authorization.isAuthorized || authorization.state === 'ended') {
      const cause = refusalCause(authorization.reason);
      this.#refusals.add(key, cause);
      throw new TunnelFailure(cause);
    }
    const connection = this.#admit(authorization, { kind: 'password', digest });
    connection.username = username;
    this.#byUsername.set(username, connection);
    connection.credentialsCheckedAt = performance.now();
    if (clientAddress !== undefined) connection.recentAddresses.add(clientAddress);
    return connection;
  }

  /** An authorization must not overtake the `end` call of the same connection, which would close the new one. */
  async #untilEndAcknowledged(connection: Connection): Promise<void> {
    this.onReportDue();
    if (!(await this.#areEndsAcknowledged([connection], this.settings.limits.controlRequestMs)))
      throw new TunnelFailure('control-plane-unavailable');
  }

  /** @returns false on a timeout */
  #areEndsAcknowledged(connections: readonly Connection[], withinMs: number): Promise<boolean> {
    return settlesWithin(Promise.all(connections.map((connection) => connection.endAcknowledged)), withinMs);
  }

  /** @throws TunnelFailure `invalid-credentials` if they were changed after the control plane accepted them */
  #admit(authorization: Granted, credential: Credential): Connection {
    const known = this.#byId.get(authorization.connectionId);
    if (known?.isEnding) throw new TunnelFailure('control-plane-unavailable');
    if (known) known.credit.merge(authorization);
    const connection = known ?? this.#open(authorization);
    const { access } = connection;
    connection.limits.update(authorization.limits);
    access.update(authorization.access);
    access.update(this.#authorizations.changedAccess(connection.id));
    if (credential.kind === 'password') access.passwordAccepted(credential.digest, authorization.access);
    connection.closeForbiddenFlows();
    this.settings.dnsPorts.opened(connection, authorization.dnsPort);
    if (this.#endReason !== undefined) {
      this.end(connection, this.#endReason);
      throw new TunnelFailure('draining');
    }
    if (!access.allows(credential)) throw new TunnelFailure('invalid-credentials');
    return connection;
  }

  #open(authorization: Granted): Connection {
    const { limits, exits } = this.settings;
    const credit = new Credit(authorization, limits.unacknowledgedBytesMin, {
      due: () => this.onReportDue(connection),
      spent: () => this.end(connection, creditEndReason(credit.reason)),
      ended: () => this.end(connection, 'connection-ended'),
    });
    const exit = exits.get(authorization.exit);
    const connection = new Connection(authorization.connectionId, exit, credit, limits);
    this.#byId.set(connection.id, connection);
    return connection;
  }

  #updateAccess(connection: Connection, access: Access | undefined): boolean {
    const isNewer = connection.access.update(access);
    if (!isNewer) return false;
    connection.closeForbiddenFlows();
    this.settings.dnsPorts.accessChanged(connection);
    return true;
  }
}
