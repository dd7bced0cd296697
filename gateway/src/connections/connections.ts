import type { Access, Credit as CreditAnswer, WatchAnswer } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import { endsWithin, inBackground } from '../background.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Exit } from '../exits/exit.ts';
import type { Exits } from '../exits/exits.ts';
import type { EndReason } from '../flows/flow.ts';
import type { Limits } from '../limits.ts';
import { Credit } from '../metering/credit.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { TunnelFailure } from '../statuses.ts';
import type { Credential } from './access.ts';
import { AddressLogins, type Granted } from './address-logins.ts';
import { Authorizations } from './authorizations.ts';
import { Connection, type Login } from './connection.ts';
import { CredentialKey } from './credentials.ts';
import { causeOfRefusal, labelOfEnd } from './end-reasons.ts';
import { Refusals } from './refusals.ts';
import { TokenBucket } from './token-bucket.ts';

interface ConnectionsSettings {
  readonly control: Pick<ControlClient, 'authorize' | 'authorizeAddress'>;
  readonly limits: Limits;
  readonly log: Logger;
  readonly exits: Pick<Exits, 'get'>;
  /** A connection's report is due, or a last total waits to be delivered. */
  readonly reportSoon: (connection?: Connection) => void;
  /** A connection has ended in this run. */
  readonly ended: (label: string) => void;
}

/** The connections that this run has open, found by user name or address for new tunnels and by id for credit answers. */
export class Connections {
  readonly #credentials = new CredentialKey();
  readonly #byUsername = new Map<string, Connection>();
  readonly #byId = new Map<string, Connection>();
  readonly #addresses: AddressLogins;
  readonly #authorizations = new Authorizations();
  readonly #refusals: Refusals;
  /** Set when the node stops: nothing is opened any more. */
  #endReason: EndReason | undefined;

  constructor(private readonly settings: ConnectionsSettings) {
    const { limits } = settings;
    const admit = (answer: Granted, credential: Credential) => this.#admit(answer, credential);
    this.#addresses = new AddressLogins({ ...settings, admit });
    this.#refusals = new Refusals(limits.refusalKeptMs, limits.refusalsKept);
  }

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
  find(credentials: Credentials, clientAddress?: string): Login | undefined {
    const digest = this.#credentials.digest(credentials.password);
    const known = this.#byUsername.get(credentials.username);
    if (!this.#credentials.isEqual(known?.access.digest, digest) || !known || known.isEnding) return undefined;
    this.#confirm(known, credentials, clientAddress);
    return { connection: known, credential: { kind: 'password', digest } };
  }

  /**
   * The connection of this run that lists the address of a client.
   * @throws TunnelFailure if the control plane has just refused the address
   */
  findByAddress(address: string): Login | undefined {
    return this.#addresses.find(address);
  }

  /**
   * Asks the control plane about credentials that this run does not know.
   * @throws TunnelFailure `credentials-wrong` or why the connection has ended, `control-plane-away` or `draining`
   */
  async authorize(credentials: Credentials, clientAddress?: string): Promise<Login> {
    const digest = this.#credentials.digest(credentials.password);
    const key = `${digest.toString('base64')} ${credentials.username}`;
    this.#refusals.check(key);
    const connection = await this.#once(key, () => this.#authorize(credentials, clientAddress, digest, key));
    return { connection, credential: { kind: 'password', digest } };
  }

  /**
   * Asks the control plane for the connection that lists the address of a client.
   * @throws TunnelFailure `credentials-wrong`, also while the control plane is away; `address-shared` or `draining`
   */
  async authorizeAddress(address: string): Promise<Login> {
    const connection = await this.#once(`address ${address}`, () => this.#addresses.authorize(address));
    return { connection, credential: { kind: 'address', address } };
  }

  merge(answers: readonly CreditAnswer[]): void {
    for (const answer of answers) {
      const connection = this.#byId.get(answer.connectionId);
      if (!connection) continue;
      connection.credit.merge(answer);
      this.#update(connection, answer.access);
    }
  }

  /**
   * The control plane has ended connections, or others may use them.
   * @returns whether this run did not know it
   */
  told({ ended, reasons = {}, changed = [], areAllowListsChanged = false }: WatchAnswer): boolean {
    const open = ended.flatMap((id) => this.#byId.get(id) ?? []).filter(({ isEnding }) => !isEnding);
    this.merge(open.map(({ id }) => ({ connectionId: id, grantedBytes: 0, state: 'ended', reason: reasons[id] })));
    const isChanged = changed.map(({ connectionId, access }) => {
      const connection = this.#byId.get(connectionId);
      if (connection) return this.#update(connection, access);
      this.#authorizations.told(connectionId, access);
      return false;
    });
    if (areAllowListsChanged) this.#addresses.forgetAll();
    return open.length > 0 || isChanged.includes(true) || areAllowListsChanged;
  }

  /** Cuts a connection's tunnels and has its last total delivered. */
  end(connection: Connection, end: EndReason): void {
    if (connection.isEnding) return;
    connection.isEnding = true;
    connection.cut(end);
    const { usedBytes, reason } = connection.credit;
    const label = labelOfEnd(end, reason);
    this.settings.ended(label);
    this.settings.log.info({ connectionId: connection.id, reason: label, usedBytes }, 'Connection ended');
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
    await endsWithin(this.#authorizations.over(), withinMs);
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
      const { username } = connection;
      if (username !== undefined && this.#byUsername.get(username) === connection) this.#byUsername.delete(username);
      connection.forget();
    }
  }

  /**
   * A password may have been changed, and where it is used from is worth knowing: now and then the control plane is asked again,
   * while the client goes on.
   */
  #confirm(connection: Connection, credentials: Credentials, clientAddress: string | undefined): void {
    const now = performance.now();
    const { credentialsKeptMs, addressNoteSpacingMs } = this.settings.limits;
    const isNoted = clientAddress === undefined || connection.notedAddresses.has(clientAddress);
    if (now - connection.confirmedAt < (isNoted ? credentialsKeptMs : addressNoteSpacingMs)) return;
    connection.confirmedAt = now;
    inBackground(this.settings.log, 'credentials', this.#askAgain(connection, credentials, clientAddress));
  }

  async #askAgain(connection: Connection, credentials: Credentials, clientAddress: string | undefined): Promise<void> {
    const { access, notedAddresses } = connection;
    const { digest } = access;
    // While the control plane is away, what was right stays right.
    const answer = await this.settings.control.authorize(credentials, clientAddress).catch(() => undefined);
    if (answer?.isAuthorized && clientAddress !== undefined) notedAddresses.note(clientAddress);
    if (answer?.isAuthorized !== false || access.digest !== digest) return;
    access.passwordRefused();
    connection.cutForbidden();
  }

  #once(key: string, work: () => Promise<Connection>): Promise<Connection> {
    if (this.#endReason !== undefined) throw new TunnelFailure('draining');
    return this.#authorizations.once(key, work);
  }

  async #authorize(credentials: Credentials, clientAddress: string | undefined, digest: Buffer, key: string) {
    const { username } = credentials;
    const known = this.#byUsername.get(username);
    if (known?.isEnding) await this.#forgotten(known);
    const answer = await this.settings.control.authorize(credentials, clientAddress);
    if (!answer.isAuthorized || answer.state === 'ended') {
      const cause = causeOfRefusal(answer.reason);
      this.#refusals.keep(key, cause);
      throw new TunnelFailure(cause);
    }
    const connection = this.#admit(answer, { kind: 'password', digest });
    connection.username = username;
    this.#byUsername.set(username, connection);
    connection.confirmedAt = performance.now();
    if (clientAddress !== undefined) connection.notedAddresses.note(clientAddress);
    return connection;
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

  /** @throws TunnelFailure `credentials-wrong` if they have been changed since the control plane took them */
  #admit(answer: Granted, credential: Credential): Connection {
    const known = this.#byId.get(answer.connectionId);
    if (known?.isEnding) throw new TunnelFailure('control-plane-away');
    if (known) known.credit.merge(answer);
    const connection = known ?? this.#open(answer);
    const { access } = connection;
    access.update(answer.access);
    access.update(this.#authorizations.toldAccess(connection.id));
    if (credential.kind === 'password') access.passwordTaken(credential.digest, answer.access);
    connection.cutForbidden();
    if (this.#endReason !== undefined) {
      this.end(connection, this.#endReason);
      throw new TunnelFailure('draining');
    }
    if (!access.allows(credential)) throw new TunnelFailure('credentials-wrong');
    return connection;
  }

  #open(answer: Granted): Connection {
    const { limits, exits, reportSoon } = this.settings;
    const credit = new Credit(answer, limits.unacknowledgedBytesMin, {
      due: () => reportSoon(connection),
      spent: () => this.end(connection, credit.reason === 'CAP' ? 'cap-reached' : 'out-of-money'),
      ended: () => this.end(connection, 'connection-ended'),
    });
    const newTunnels = new TokenBucket(limits.newTunnelsPerSecond, limits.newTunnelsBurst);
    const connection = new Connection(answer.connectionId, exits.get(answer.exit), credit, newTunnels);
    this.#byId.set(connection.id, connection);
    return connection;
  }

  #update(connection: Connection, access: Access | undefined): boolean {
    const isNews = connection.access.update(access);
    if (isNews) connection.cutForbidden();
    return isNews;
  }
}
