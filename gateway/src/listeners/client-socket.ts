import { clientNetworks } from '@cellhop/contract/network';
import { Socket } from 'node:net';
import type { Connection } from '../connections/connection.ts';
import type { Limits } from '../limits.ts';
import type { Side, SideOwner } from '../pipe/pipe.ts';
import type { Membership } from './client-groups.ts';
import { type ClientTransport, SocketTransport } from './client-transport.ts';
import { closeGracefully } from './closing.ts';

/** In place of a connection that a pipe owns: closed, so that nobody does anything with it. */
const HANDED_OVER = new SocketTransport(new Socket().destroy());

const nothingToInterrupt = () => {};

type ClientLimits = Pick<Limits, 'handshakeMs' | 'nextRequestMs' | 'lingerMs' | 'flushMs'>;

export interface ClientEvents {
  /** @throws TunnelFailure if the connection has too many client sockets */
  authenticated(client: ClientSocket, connection: Connection): void;
  /** `isWaiting` may have changed. */
  changed(client: ClientSocket): void;
  /** The client has sent its first byte. */
  receivedData(client: ClientSocket): void;
  closed(client: ClientSocket): void;
}

/**
 * One accepted client socket. It has `handshakeMs` from accept to valid credentials, however much is exchanged in between;
 * after that, `nextRequestMs` until each further request.
 */
export class ClientSocket implements SideOwner {
  readonly acceptedAt = performance.now();
  readonly address: string;
  /** Clients of one network share its limits. The widest first. */
  readonly networks: readonly string[];
  /** The narrowest of them. */
  readonly network: string;
  /** Set while `ClientSockets` counts it. */
  membership: Membership<ClientSocket> | undefined;
  /** Ends the handshake with the reply of the current protocol, which sets this. */
  interrupt: (cause: 'handshake-timeout' | 'draining') => void = () => this.#transport.destroy();
  #hasReceivedData = false;
  #isAuthenticated = false;
  #isTunnel = false;
  #isBusy = false;
  #isBlocked = false;
  #isReset = false;
  #deadline: NodeJS.Timeout | undefined;

  #transport: ClientTransport;

  constructor(
    transport: ClientTransport,
    readonly limits: ClientLimits,
    private readonly events: ClientEvents,
  ) {
    this.#transport = transport;
    this.address = transport.remoteAddress;
    this.networks = clientNetworks(this.address);
    this.network = this.networks.at(-1)!;
    this.#deadline = setTimeout(() => this.interrupt('handshake-timeout'), limits.handshakeMs);
    transport.whenClosed(() => {
      if (!this.#isTunnel) this.#closed();
    });
  }

  /** What the client sends and receives, decrypted if it speaks TLS. */
  get transport(): ClientTransport {
    return this.#transport;
  }

  /** The same as a socket of Node. */
  get socket(): Socket {
    return this.#transport.socket;
  }

  get isReset(): boolean {
    return this.#isReset;
  }

  /** Closing it loses no paid data: it has no valid credentials yet, or no request is in progress. */
  get isWaiting(): boolean {
    return !this.#isTunnel && !(this.#isAuthenticated && this.#isBusy);
  }

  /** The TLS handshake is done. The connection below closes with this socket. */
  secured(socket: Socket): void {
    this.#transport = new SocketTransport(socket);
  }

  /** Call it when the client has sent something. */
  receivedData(): void {
    if (this.#hasReceivedData) return;
    this.#hasReceivedData = true;
    this.events.receivedData(this);
  }

  /**
   * Call it after valid credentials: from now on the socket is not half-open. The handshake deadline applies until `requestStarted`.
   * @throws TunnelFailure if the connection has too many client sockets
   */
  loggedIn(connection: Connection): void {
    if (this.#isBlocked) return;
    this.events.authenticated(this, connection);
    this.#isAuthenticated = true;
  }

  /**
   * The same with a complete request, before the tunnel opens.
   * @throws TunnelFailure if the connection has too many client sockets
   */
  authenticated(connection: Connection): void {
    this.loggedIn(connection);
    this.requestStarted();
  }

  /** A request has started; its tunnel has its own timeouts. */
  requestStarted(): void {
    if (this.#isBlocked) return;
    if (this.#isAuthenticated) this.#clearDeadline();
    this.#setBusy(true);
  }

  /** Its requests come one after the other. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  /** A request has ended. Without valid credentials the handshake deadline still applies. */
  awaitRequest(whenIdle: () => void): void {
    this.#setBusy(false);
    if (!this.#isAuthenticated || this.#transport.isDestroyed) return;
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(whenIdle, this.limits.nextRequestMs);
  }

  /** Hands the connection over to the pipe, which closes it. */
  toSide(): Side {
    const transport = this.#transport;
    this.#isTunnel = true;
    this.#clearDeadline();
    // A tunnel may last for days. What belongs to the handshake, and the socket that a relay replaces, are not kept for so long.
    this.#transport = HANDED_OVER;
    this.interrupt = nothingToInterrupt;
    this.events.changed(this);
    return transport.toSide(this);
  }

  closeGracefully(lastReply: string | Uint8Array): void {
    this.#setBusy(false);
    closeGracefully(this.socket, this.limits, lastReply);
  }

  /** Closes the socket without a response. */
  reset(): void {
    this.#isReset = true;
    this.#transport.reset();
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    if (!this.#isBlocked) this.events.changed(this);
  }

  #clearDeadline(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  sideClosed(): void {
    this.#closed();
  }

  #closed(): void {
    this.#isBlocked = true;
    this.#clearDeadline();
    this.events.closed(this);
  }
}
