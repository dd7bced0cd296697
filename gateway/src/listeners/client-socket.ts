import { clientNetwork } from '@cellhop/contract/network';
import type { Socket } from 'node:net';
import type { Connection } from '../connections/connection.ts';
import type { Limits } from '../limits.ts';
import { resetSocket } from '../pipe/handle.ts';
import { TcpSide } from '../pipe/tcp-side.ts';
import { closeGently } from './closing.ts';

type ClientLimits = Pick<Limits, 'handshakeMs' | 'nextRequestMs' | 'lingerMs' | 'flushMs'>;

interface ClientEvents {
  /** @throws TunnelFailure when the connection has too many client sockets */
  authenticated(client: ClientSocket, connection: Connection): void;
  /** `isWaiting` may have changed. */
  changed(client: ClientSocket): void;
  closed(client: ClientSocket): void;
}

/**
 * One accepted client, from accept to close. It has `handshakeMs` from accept to valid credentials, whatever is sent and
 * answered in between; only then has it `nextRequestMs` for each further request.
 */
export class ClientSocket {
  readonly acceptedAt = performance.now();
  readonly address: string;
  /** Clients of one network count together. */
  readonly network: string;
  /** What the protocol in charge does when the handshake's time is over. */
  whenTooSlow: () => void = () => this.socket.destroy();
  #isAuthenticated = false;
  #isTunnel = false;
  #isBusy = false;
  #isClosed = false;
  #isCut = false;
  #deadline: NodeJS.Timeout;

  constructor(
    readonly socket: Socket,
    private readonly limits: ClientLimits,
    private readonly events: ClientEvents,
  ) {
    this.address = socket.remoteAddress ?? '';
    this.network = clientNetwork(this.address);
    this.#deadline = setTimeout(() => this.whenTooSlow(), limits.handshakeMs);
    // Every later owner adds its own listener; this one keeps a reset between two owners from being fatal.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      if (!this.#isTunnel) this.#closed();
    });
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** Nothing that was paid for is lost when it is closed: it has shown no credentials, or no request is in progress. */
  get isWaiting(): boolean {
    return !this.#isTunnel && !(this.#isAuthenticated && this.#isBusy);
  }

  /**
   * It has shown valid credentials, and a tunnel follows.
   * @throws TunnelFailure when the connection has too many client sockets
   */
  authenticated(connection: Connection): void {
    if (this.#isClosed) return;
    this.events.authenticated(this, connection);
    this.#isAuthenticated = true;
    clearTimeout(this.#deadline);
    this.#setBusy(true);
  }

  /** A request has begun; its tunnel has limits of its own. */
  requestBegan(): void {
    if (this.#isAuthenticated) clearTimeout(this.#deadline);
    this.#setBusy(true);
  }

  /** A request has ended. Without valid credentials the first deadline goes on. */
  awaitRequest(whenIdle: () => void): void {
    this.#setBusy(false);
    if (!this.#isAuthenticated || this.socket.destroyed) return;
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(whenIdle, this.limits.nextRequestMs);
  }

  /** From here on the pipe alone closes it. */
  toSide(): TcpSide {
    this.#isTunnel = true;
    clearTimeout(this.#deadline);
    this.events.changed(this);
    return new TcpSide(this.socket, this.limits, () => this.#closed());
  }

  closeGently(lastAnswer: string | Uint8Array): void {
    this.#setBusy(false);
    closeGently(this.socket, this.limits, lastAnswer);
  }

  /** Closes it without an answer. */
  cut(): void {
    this.#isCut = true;
    resetSocket(this.socket);
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    if (!this.#isClosed) this.events.changed(this);
  }

  #closed(): void {
    this.#isClosed = true;
    clearTimeout(this.#deadline);
    this.events.closed(this);
  }
}
