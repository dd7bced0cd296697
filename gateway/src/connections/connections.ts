import type { Authorization, Credit as CreditGrant } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Exit } from '../exits/exit.ts';
import type { Exits } from '../exits/exits.ts';
import type { EndReason } from '../flows/flow.ts';
import type { Limits } from '../limits.ts';
import { Credit } from '../metering/credit.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { TunnelFailure } from '../statuses.ts';
import { Connection } from './connection.ts';
import { CredentialKey } from './credentials.ts';
import { TokenBucket } from './token-bucket.ts';

interface ConnectionsSettings {
  readonly control: Pick<ControlClient, 'authorize'>;
  readonly limits: Limits;
  readonly log: Logger;
  readonly exits: Pick<Exits, 'get'>;
  /** Called when a connection's report is due, or a final total has to be delivered. */
  readonly requestReport: (connection?: Connection) => void;
}

type Granted = Extract<Authorization, { isAuthorized: true }>;

/** The open connections of this run, indexed by username for new tunnels and by id for grants. */
export class Connections {
  readonly #credentials = new CredentialKey();
  readonly #byUsername = new Map<string, Connection>();
  readonly #byId = new Map<string, Connection>();
  readonly #authorizations = new Map<string, Promise<Connection>>();
  readonly #refusedUntil = new Map<string, number>();
  /** Set when the node stops: no connection is opened any more. */
  #endReason: EndReason | undefined;

  constructor(private readonly settings: ConnectionsSettings) {}

  get open(): Connection[] {
    return [...this.#byId.values()].filter(({ isEnding }) => !isEnding);
  }

  get exitsInUse(): Set<Exit> {
    return new Set([...this.#byId.values()].map(({ exit }) => exit));
  }

  get(id: string): Connection | undefined {
    return this.#byId.get(id);
  }

  /** Connections whose final total has not been acknowledged. */
  get ending(): Connection[] {
    return [...this.#byId.values()].filter(({ isEnding }) => isEnding);
  }

  /** The open connection with these credentials. */
  find(credentials: Credentials): Connection | undefined {
    const digest = this.#credentials.digest(credentials.password);
    const known = this.#byUsername.get(credentials.username);
    if (!this.#credentials.isEqual(known?.digest, digest) || !known || known.isEnding) return undefined;
    this.#recheckWhenDue(known, credentials);
    return known;
  }

  /**
   * Has the control plane check credentials that are unknown in this run. Concurrent calls share one request.
   * @throws TunnelFailure `credentials-wrong`, `control-plane-away` or `draining`
   */
  authorize(credentials: Credentials): Promise<Connection> {
    if (this.#endReason !== undefined) throw new TunnelFailure('draining');
    const digest = this.#credentials.digest(credentials.password);
    const key = `${digest.toString('base64')} ${credentials.username}`;
    if ((this.#refusedUntil.get(key) ?? 0) > performance.now()) throw new TunnelFailure('credentials-wrong');
    const pending = this.#authorizations.get(key);
    if (pending) return pending;
    const request = this.#authorize(credentials, digest, key).finally(() => this.#authorizations.delete(key));
    this.#authorizations.set(key, request);
    return request;
  }

  merge(grants: readonly CreditGrant[]): void {
    for (const grant of grants) this.#byId.get(grant.connectionId)?.credit.merge(grant);
  }

  /**
   * Ends connections that the control plane has ended.
   * @returns whether any of them was open in this run
   */
  endByControlPlane(connectionIds: readonly string[]): boolean {
    const open = connectionIds.flatMap((id) => this.#byId.get(id) ?? []).filter(({ isEnding }) => !isEnding);
    this.merge(open.map(({ id }) => ({ connectionId: id, grantedBytes: 0, state: 'ended' })));
    return open.length > 0;
  }

  /** Closes a connection's tunnels and requests the delivery of its final total. */
  end(connection: Connection, reason: EndReason): void {
    if (connection.isEnding) return;
    connection.isEnding = true;
    connection.closeFlows(reason);
    const usedBytes = connection.credit.usedBytes;
    this.settings.log.info({ connectionId: connection.id, reason, usedBytes }, 'Connection ended');
    this.settings.requestReport();
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
    await settlesWithin(Promise.allSettled(this.#authorizations.values()), withinMs);
    const leftMs = Math.max(0, deadline - performance.now());
    const areDelivered = await this.#areEndsAcknowledged(this.ending, leftMs);
    if (!areDelivered) this.settings.log.error({ connections: this.ending.length }, 'Final totals were not delivered');
    return areDelivered;
  }

  /** Ends connections without tunnels, which releases their unused grants. */
  endIdle(): void {
    const before = performance.now() - this.settings.limits.connectionIdleMs;
    for (const connection of this.open)
      if (connection.flows.size === 0 && connection.lastTunnelAt <= before) this.end(connection, 'idle');
  }

  /** Removes connections whose final totals the control plane has acknowledged. */
  acknowledged(connectionIds: readonly string[]): void {
    for (const id of connectionIds) {
      const connection = this.#byId.get(id);
      if (!connection?.isEnding) continue;
      this.#byId.delete(id);
      if (this.#byUsername.get(connection.username) === connection) this.#byUsername.delete(connection.username);
      connection.acknowledgeEnd();
    }
  }

  /** The password may have changed, so the control plane checks it again at intervals, in the background. */
  #recheckWhenDue(connection: Connection, credentials: Credentials): void {
    const now = performance.now();
    if (now - connection.credentialsCheckedAt < this.settings.limits.credentialsCacheMs) return;
    connection.credentialsCheckedAt = now;
    inBackground(this.settings.log, 'credentials', this.#recheck(connection, credentials));
  }

  async #recheck(connection: Connection, credentials: Credentials): Promise<void> {
    const { digest } = connection;
    // While the control plane is unavailable, accepted credentials remain valid.
    const authorization = await this.settings.control.authorize(credentials).catch(() => undefined);
    if (authorization?.isAuthorized !== false || connection.digest !== digest) return;
    connection.digest = undefined;
    connection.closeFlows('password-changed');
  }

  async #authorize(credentials: Credentials, digest: Buffer, key: string): Promise<Connection> {
    const known = this.#byUsername.get(credentials.username);
    if (known?.isEnding) await this.#untilEndAcknowledged(known);
    const authorization = await this.settings.control.authorize(credentials);
    if (!authorization.isAuthorized || authorization.state === 'ended') {
      this.#cacheRefusal(key);
      throw new TunnelFailure('credentials-wrong');
    }
    return this.#admit(authorization, credentials.username, digest);
  }

  /** An authorization must not overtake the `end` call of the same connection, which would close the new one. */
  async #untilEndAcknowledged(connection: Connection): Promise<void> {
    this.settings.requestReport();
    if (!(await this.#areEndsAcknowledged([connection], this.settings.limits.controlRequestMs)))
      throw new TunnelFailure('control-plane-away');
  }

  /** @returns false on a timeout */
  #areEndsAcknowledged(connections: readonly Connection[], withinMs: number): Promise<boolean> {
    return settlesWithin(Promise.all(connections.map((connection) => connection.endAcknowledged)), withinMs);
  }

  #admit(authorization: Granted, username: string, digest: Buffer): Connection {
    const known = this.#byId.get(authorization.connectionId);
    if (known?.isEnding) throw new TunnelFailure('control-plane-away');
    if (known) {
      if (!this.#credentials.isEqual(known.digest, digest)) known.closeFlows('password-changed');
      known.digest = digest;
      known.credentialsCheckedAt = performance.now();
      known.credit.merge(authorization);
      return known;
    }
    const { limits, exits, requestReport } = this.settings;
    const credit = new Credit(authorization, limits.unacknowledgedBytesMin, {
      due: () => requestReport(connection),
      spent: () => this.end(connection, 'out-of-money'),
      ended: () => this.end(connection, 'connection-ended'),
    });
    const newTunnels = new TokenBucket(limits.newTunnelsPerSecond, limits.newTunnelsBurst);
    const exit = exits.get(authorization.exit);
    const connection = new Connection(authorization.connectionId, username, digest, exit, credit, newTunnels);
    this.#byId.set(connection.id, connection);
    this.#byUsername.set(username, connection);
    if (this.#endReason === undefined) return connection;
    this.end(connection, this.#endReason);
    throw new TunnelFailure('draining');
  }

  #cacheRefusal(key: string): void {
    const { refusalCacheMs, refusalsCached } = this.settings.limits;
    if (this.#refusedUntil.size >= refusalsCached) this.#refusedUntil.clear();
    this.#refusedUntil.set(key, performance.now() + refusalCacheMs);
    setTimeout(() => this.#refusedUntil.delete(key), refusalCacheMs).unref();
  }
}

/** @returns false if the work has not settled after this time */
async function settlesWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((fulfil) => {
    timer = setTimeout(() => fulfil(false), limitMs);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
}
