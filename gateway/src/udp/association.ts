import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { Login } from '../connections/connection.ts';
import type { DescriptorWatch } from '../descriptors.ts';
import { DialAbort } from '../exits/exit.ts';
import type { DestinationGuard } from '../exits/destination-guard.ts';
import { type EndReason, creditEndReason, type Flow } from '../flows/flow.ts';
import type { Flows } from '../flows/flows.ts';
import type { Limits } from '../limits.ts';
import type { Direction } from '../metering/credit.ts';
import type { Drop, Metrics } from '../metrics.ts';
import type { Target } from '../protocol/host.ts';
import { DATAGRAM_BYTES_MAX, readUdpTarget, udpHeaderLength } from '../protocol/socks5.ts';
import { toCause, type FailureCause, toDialFailure, TunnelFailure } from '../statuses.ts';
import type { ClientPorts } from './client-ports.ts';
import { createRoute, type Destination, Destinations, type Route } from './destinations.ts';
import { ExitPorts } from './exit-ports.ts';
import type { DatagramPort, Sender } from './udp-socket.ts';

/** The parts of the node that associations use. */
export interface AssociationContext {
  readonly flows: Flows;
  readonly guard: DestinationGuard;
  readonly clientPorts: Pick<ClientPorts, 'open'>;
  readonly descriptors: Pick<DescriptorWatch, 'exhausted'>;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** The client of an association, as known from its control connection. */
interface AssociatedClient {
  /** The only address from which datagrams are accepted, in canonical text. */
  readonly address: string;
  /** The address of this host to which it connected. */
  readonly localAddress: string;
}

/**
 * A flow over UDP (RFC 1928, section 7): relays datagrams between one client and the destinations to which it sends. A
 * datagram that may not pass is dropped and counted; nothing waits except for a name or a socket.
 */
export class Association {
  readonly flow: Flow;
  readonly #abort = new DialAbort();
  readonly #destinations: Destinations;
  readonly #exits: ExitPorts;
  #client: DatagramPort | undefined;
  /** Undefined until the first datagram of the client. */
  #clientPort: number | undefined;
  /** Datagrams that wait for a route, of all destinations. */
  #waiting = 0;

  /** @param ended called once when the flow ends: the control connection must be closed */
  constructor(
    private readonly context: AssociationContext,
    private readonly login: Login,
    private readonly client: AssociatedClient,
    ended: (reason: EndReason) => void,
  ) {
    const { flows, limits } = context;
    this.#destinations = new Destinations(limits.destinationsPerAssociation);
    this.#exits = new ExitPorts(login.connection.exit, this.#abort, {
      received: (payload, from) => this.#fromExit(payload, from),
      failed: () => this.#drop('network-error'),
      dropped: (reason) => this.#drop(reason),
      ended: () => this.flow.close('exit-failed'),
    });
    const close = (reason: EndReason) => {
      this.#close();
      ended(reason);
    };
    this.flow = flows.open(login, 'socks5-udp', { close });
    this.flow.setIdleTimeout(limits.udpIdleMs);
  }

  /**
   * Opens the port to which the client sends, and first that of an exit which may refuse it.
   * @returns the port
   * @throws TunnelFailure; the association is closed then
   */
  async open(): Promise<number> {
    try {
      await this.#exits.openFirst();
      const { socket, port } = await this.context.clientPorts.open(this.client.localAddress);
      this.#client = socket;
      if (this.flow.endReason !== undefined) {
        socket.close();
        throw new TunnelFailure('upstream-closed');
      }
      socket.open({
        received: (datagram, from) => this.#fromClient(datagram, from),
        failed: () => this.#drop('network-error'),
      });
      return port;
    } catch (error) {
      const { endReason } = this.flow;
      this.flow.close('dial-failed');
      // If the exit has failed, reply with its error.
      const isClientGone = endReason !== undefined && endReason !== 'exit-failed';
      throw isClientGone ? new TunnelFailure('client-closed') : toDialFailure(error);
    }
  }

  #fromClient(datagram: Buffer, from: Sender): void {
    if (!this.#isClient(from)) return this.#drop('wrong-source');
    const { connection } = this.login;
    const { limits } = this.context;
    const now = performance.now();
    if (!connection.rates.datagrams.take(now)) return this.#drop('rate-limit');
    const repeated = this.#destinations.repeatedHeader(datagram);
    const headerLength = repeated?.length ?? udpHeaderLength(datagram);
    if (typeof headerLength === 'string') return this.#drop(headerLength);
    const header = repeated ?? datagram.toString('latin1', 0, headerLength);
    const known = this.#destinations.find(header, now - limits.udpIdleMs);
    this.#clientPort = from.port;
    const payload = datagram.subarray(headerLength);
    // An empty datagram costs nothing, but its destination carries information.
    const isFree = known !== undefined && payload.length > 0;
    if (!isFree && !connection.rates.newDestinations.take()) return this.#drop('rate-limit');
    if (known?.route) return this.#toExit(known, known.route, payload, now);
    if (this.#waiting >= limits.waitingDatagrams) return this.#drop('unresolved');
    const target = known?.target ?? readUdpTarget(datagram.subarray(0, headerLength));
    if (target === undefined) return this.#drop('malformed');
    if (!connection.limits.allowsPort(target.port)) return this.#portProhibited();
    this.#waiting += 1;
    if (known) known.waiting.push(payload);
    else this.#addDestination(header, target, payload, now);
  }

  /**
   * The first valid datagram fixes the client's port for good. The port of the request is only a hint, because many clients write
   * their destination there, or a port in front of a NAT. A changed port is never followed: it could be that of a neighbour behind
   * the same NAT.
   */
  #isClient({ address, port }: Sender): boolean {
    return address === this.client.address && (this.#clientPort === undefined || port === this.#clientPort);
  }

  #addDestination(header: string, target: Target, payload: Buffer, now: number): void {
    const destination: Destination = { header, target, route: undefined, waiting: [payload], sentAt: now };
    const evicted = this.#destinations.add(destination);
    if (evicted) this.#dropWaiting(evicted, 'unresolved');
    inBackground(this.context.log, 'datagram route', this.#openRoute(destination));
  }

  async #openRoute(destination: Destination): Promise<void> {
    const { target } = destination;
    try {
      const [address] = await this.context.guard.addressesFor(this.login.connection.exit, target, this.#abort);
      if (address === undefined) throw new TunnelFailure('name-not-found');
      destination.route = createRoute(await this.#exits.to(address), address, target.port);
    } catch (error) {
      return this.#routeFailed(destination, toCause(error));
    }
    const payloads = destination.waiting.splice(0);
    this.#waiting -= payloads.length;
    const now = performance.now();
    for (const payload of payloads) this.#toExit(destination, destination.route, payload, now);
  }

  #routeFailed(destination: Destination, cause: FailureCause): void {
    this.#destinations.delete(destination);
    if (cause === 'descriptors-exhausted') this.context.descriptors.exhausted();
    // The client gets no reply to a datagram, so its owner has no other way to learn the reason.
    this.login.connection.lastRefusal.record(cause);
    const isNamed = cause === 'destination-prohibited' || cause === 'destination-refused';
    this.#dropWaiting(destination, isNamed ? cause : 'unresolved');
  }

  #portProhibited(): void {
    this.login.connection.lastRefusal.record('port-prohibited');
    this.#drop('port-prohibited');
  }

  #dropWaiting({ waiting }: Destination, drop: Drop): void {
    const count = waiting.splice(0).length;
    this.#waiting -= count;
    for (let index = 0; index < count; index += 1) this.#drop(drop);
  }

  #toExit(destination: Destination, route: Route, payload: Buffer, now: number): void {
    const { metrics } = this.context;
    const { exit } = route;
    // An earlier datagram of the same burst may have ended it.
    if (this.flow.endReason !== undefined) return this.#drop('no-credit');
    if (!this.#isAllowed(destination.target, route)) return this.#refused(route);
    if (exit.isCongested) return this.#drop('queue-full');
    if (!this.#isWithinSpeed(payload.length)) return this.#drop('speed-limit');
    if (!this.#pay('toExit', payload.length, now)) return;
    this.#destinations.sent(destination, route, now);
    metrics.udp.relayed.toExit += 1;
    exit.send(payload, route);
  }

  #isWithinSpeed(bytes: number): boolean {
    const { speed } = this.login.connection.limits;
    return speed === undefined || speed.takeWhole(bytes, this.flow.meter);
  }

  /** A datagram passes as a whole or not at all. If no later grant can pay for it, the association ends like a tunnel. */
  #pay(direction: Direction, bytes: number, now: number): boolean {
    if (this.flow.meter.takeWhole(direction, bytes, now)) return true;
    this.#drop('no-credit');
    const { credit } = this.login.connection;
    if (credit.isBeyondFinal(bytes)) this.flow.close(creditEndReason(credit.reason));
    return false;
  }

  /**
   * Checks the destination of each datagram; the result is reused until the addresses of this host and of the control plane are
   * read again, the operator refuses other destinations, or the allowed ports change.
   */
  #isAllowed({ host }: Target, route: Route): boolean {
    const { guard } = this.context;
    const { limits } = this.login.connection;
    if (route.checkedAt !== guard.revision || route.checkedPorts !== limits.ports) {
      route.checkedAt = guard.revision;
      route.checkedPorts = limits.ports;
      const { address, port } = route;
      route.isRefused = guard.isRefused({ host, address });
      route.isAllowed = !route.isRefused && limits.allowsPort(port) && guard.isAllowed(address, port);
    }
    return route.isAllowed;
  }

  #refused({ isRefused }: Route): void {
    if (isRefused) this.login.connection.lastRefusal.record('destination-refused');
    this.#drop(isRefused ? 'destination-refused' : 'destination-prohibited');
  }

  #fromExit(payload: Buffer, from: Sender): void {
    const { connection } = this.login;
    const { limits, metrics } = this.context;
    const now = performance.now();
    const destination = this.#destinations.withAddress(from);
    const { route, sentAt } = destination ?? {};
    const isExpected = sentAt !== undefined && now - sentAt < limits.udpIdleMs;
    const client = this.#client;
    const clientPort = this.#clientPort;
    if (!destination || !route || !isExpected || !client || clientPort === undefined)
      return this.#drop('unknown-sender');
    if (!this.#isAllowed(destination.target, route)) return this.#refused(route);
    if (!connection.rates.datagrams.take(now)) return this.#drop('rate-limit');
    if (payload.length === 0 && !connection.rates.newDestinations.take()) return this.#drop('rate-limit');
    if (route.header.length + payload.length > DATAGRAM_BYTES_MAX) return this.#drop('too-large');
    if (client.isCongested) return this.#drop('queue-full');
    if (!this.#isWithinSpeed(payload.length)) return this.#drop('speed-limit');
    if (!this.#pay('toClient', payload.length, now)) return;
    metrics.udp.relayed.toClient += 1;
    client.send([route.header, payload], clientPort, this.client.address);
  }

  #drop(reason: Drop): void {
    this.context.metrics.udp.dropped[reason] += 1;
  }

  #close(): void {
    this.#abort.abort();
    this.#client?.close();
    this.#exits.close();
    for (const destination of this.#destinations.all) this.#dropWaiting(destination, 'unresolved');
    this.context.flows.released(this.flow);
  }
}
