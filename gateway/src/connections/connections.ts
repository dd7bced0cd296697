import type { Authorization, Credit as CreditAnswer } from '@cellhop/contract/gateway';
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
  /** A connection's report is due, or a last total waits to be delivered. */
  readonly reportSoon: (connection?: Connection) => void;
}

type Granted = Extract<Authorization, { isAuthorized: true }>;

/** The connections that this run has open, found by user name for new tunnels and by id for credit answers. */
export class Connections {
  readonly #credentials = new CredentialKey();
  readonly #byUsername = new Map<string, Connection>();
  readonly #byId = new Map<string, Connection>();
  readonly #authorizations = new Map<string, Promise<Connection>>();
  readonly #refusedUntil = new Map<string, number>();
  /** Set when the node stops: nothing is opened any more. */
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

  /** Those whose last total has not been acknowledged. */
  get ending(): Connection[] {
    return [...this.#byId.values()].filter(({ isEnding }) => isEnding);
  }

  /** The connection that these credentials have opened in this run. */
  find(credentials: Credentials): Connection | undefined {
    const digest = this.#credentials.digest(credentials.password);
    const known = this.#byUsername.get(credentials.username);
    if (!this.#credentials.isEqual(known?.digest, digest) || !known || known.isEnding) return undefined;
    this.#confirm(known, credentials);
    return known;
  }

  /**
   * Asks the control plane about credentials that this run does not know.
   * @throws TunnelFailure `credentials-wrong`, `control-plane-away` or `draining`
   */
  authorize(credentials: Credentials): Promise<Connection> {
    if (this.#endReason !== undefined) throw new TunnelFailure('draining');
    const digest = this.#credentials.digest(credentials.password);
    const key = `${digest.toString('base64')} ${credentials.username}`;
    if ((this.#refusedUntil.get(key) ?? 0) > performance.now()) throw new TunnelFailure('credentials-wrong');
    const running = this.#authorizations.get(key);
    if (running) return running;
    const authorization = this.#authorize(credentials, digest, key).finally(() => this.#authorizations.delete(key));
    this.#authorizations.set(key, authorization);
    return authorization;
  }

  merge(answers: readonly CreditAnswer[]): void {
    for (const answer of answers) this.#byId.get(answer.connectionId)?.credit.merge(answer);
  }

  /**
   * The control plane has ended these.
   * @returns whether any of them was open
   */
  endByControlPlane(connectionIds: readonly string[]): boolean {
    const open = connectionIds.flatMap((id) => this.#byId.get(id) ?? []).filter(({ isEnding }) => !isEnding);
    this.merge(open.map(({ id }) => ({ connectionId: id, grantedBytes: 0, state: 'ended' })));
    return open.length > 0;
  }

  /** Cuts a connection's tunnels and has its last total delivered. */
  end(connection: Connection, reason: EndReason): void {
    if (connection.isEnding) return;
    connection.isEnding = true;
    connection.cut(reason);
    const usedBytes = connection.credit.usedBytes;
    this.settings.log.info({ connectionId: connection.id, reason, usedBytes }, 'Connection ended');
    this.settings.reportSoon();
  }

  /** Ends all, and at once those whose authorization is still under way. */
  endAll(reason: EndReason): void {
    this.#endReason = reason;
    for (const connection of this.open) this.end(connection, reason);
  }

  /**
   * After `endAll`, when the authorizations that were under way are over too.
   * @returns whether the control plane has taken all last totals within this time
   */
  async lastTotalsDelivered(withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    await endsWithin(Promise.allSettled(this.#authorizations.values()), withinMs);
    const leftMs = Math.max(0, deadline - performance.now());
    const areDelivered = await this.#isForgotten(this.ending, leftMs);
    if (!areDelivered) this.settings.log.error({ connections: this.ending.length }, 'Last totals were not delivered');
    return areDelivered;
  }

  /** Ends those without tunnels, so that what was granted to them is free again. */
  endIdle(): void {
    const before = performance.now() - this.settings.limits.connectionIdleMs;
    for (const connection of this.open)
      if (connection.flows.size === 0 && connection.lastTunnelAt <= before) this.end(connection, 'idle');
  }

  /** The control plane has the last totals of these. */
  acknowledged(connectionIds: readonly string[]): void {
    for (const id of connectionIds) {
      const connection = this.#byId.get(id);
      if (!connection?.isEnding) continue;
      this.#byId.delete(id);
      if (this.#byUsername.get(connection.username) === connection) this.#byUsername.delete(connection.username);
      connection.forget();
    }
  }

  /** A password may have been changed: now and then the control plane is asked again, while the client goes on. */
  #confirm(connection: Connection, credentials: Credentials): void {
    const now = performance.now();
    if (now - connection.confirmedAt < this.settings.limits.credentialsKeptMs) return;
    connection.confirmedAt = now;
    inBackground(this.settings.log, 'credentials', this.#askAgain(connection, credentials));
  }

  async #askAgain(connection: Connection, credentials: Credentials): Promise<void> {
    const { digest } = connection;
    // While the control plane is away, what was right stays right.
    const answer = await this.settings.control.authorize(credentials).catch(() => undefined);
    if (answer?.isAuthorized !== false || connection.digest !== digest) return;
    connection.digest = undefined;
    connection.cut('password-changed');
  }

  async #authorize(credentials: Credentials, digest: Buffer, key: string): Promise<Connection> {
    const known = this.#byUsername.get(credentials.username);
    if (known?.isEnding) await this.#forgotten(known);
    const answer = await this.settings.control.authorize(credentials);
    if (!answer.isAuthorized || answer.state === 'ended') {
      this.#keepRefusal(key);
      throw new TunnelFailure('credentials-wrong');
    }
    return this.#admit(answer, credentials.username, digest);
  }

  /** An authorization must not overtake the end of the same connection: that would close what it has just opened. */
  async #forgotten(connection: Connection): Promise<void> {
    this.settings.reportSoon();
    if (!(await this.#isForgotten([connection], this.settings.limits.controlRequestMs)))
      throw new TunnelFailure('control-plane-away');
  }

  /** @returns false if one of them is not forgotten within this time */
  #isForgotten(connections: readonly Connection[], withinMs: number): Promise<boolean> {
    return endsWithin(Promise.all(connections.map((connection) => connection.forgotten)), withinMs);
  }

  #admit(answer: Granted, username: string, digest: Buffer): Connection {
    const known = this.#byId.get(answer.connectionId);
    if (known?.isEnding) throw new TunnelFailure('control-plane-away');
    if (known) {
      if (!this.#credentials.isEqual(known.digest, digest)) known.cut('password-changed');
      known.digest = digest;
      known.confirmedAt = performance.now();
      known.credit.merge(answer);
      return known;
    }
    const { limits, exits, reportSoon } = this.settings;
    const credit = new Credit(answer, limits.unacknowledgedBytesMin, {
      due: () => reportSoon(connection),
      spent: () => this.end(connection, 'out-of-money'),
      ended: () => this.end(connection, 'connection-ended'),
    });
    const newTunnels = new TokenBucket(limits.newTunnelsPerSecond, limits.newTunnelsBurst);
    const exit = exits.get(answer.exit);
    const connection = new Connection(answer.connectionId, username, digest, exit, credit, newTunnels);
    this.#byId.set(connection.id, connection);
    this.#byUsername.set(username, connection);
    if (this.#endReason === undefined) return connection;
    this.end(connection, this.#endReason);
    throw new TunnelFailure('draining');
  }

  #keepRefusal(key: string): void {
    const { refusalKeptMs, refusalsKept } = this.settings.limits;
    if (this.#refusedUntil.size >= refusalsKept) this.#refusedUntil.clear();
    this.#refusedUntil.set(key, performance.now() + refusalKeptMs);
    setTimeout(() => this.#refusedUntil.delete(key), refusalKeptMs).unref();
  }
}

/** @returns false if it goes on after this time */
async function endsWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((fulfil) => {
    timer = setTimeout(() => fulfil(false), limitMs);
  });
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
}
