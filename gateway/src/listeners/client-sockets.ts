import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';
import { TcpSide } from '../pipe/tcp-side.ts';

type ClientLimits = Pick<
  Limits,
  'handshakeMs' | 'nextRequestMs' | 'halfOpenPerAddress' | 'halfOpenPerNode' | 'lingerMs' | 'flushMs'
>;

interface ClientEvents {
  authenticated(): void;
  closed(): void;
}

/**
 * One accepted client, from accept to close. It has `handshakeMs` from accept to valid credentials, whatever is sent and
 * answered in between; only then has it `nextRequestMs` for each further request.
 */
export class ClientSocket {
  readonly acceptedAt = performance.now();
  readonly address: string;
  /** What the protocol in charge does when the handshake's time is over. */
  whenTooSlow: () => void = () => this.socket.destroy();
  #isAuthenticated = false;
  #isTunnel = false;
  #isBusy = false;
  #isClosed = false;
  #deadline: NodeJS.Timeout;

  constructor(
    readonly socket: Socket,
    private readonly limits: ClientLimits,
    private readonly events: ClientEvents,
  ) {
    this.address = socket.remoteAddress ?? '';
    this.#deadline = setTimeout(() => this.whenTooSlow(), limits.handshakeMs);
    // Every later owner adds its own listener; this one keeps a reset between two owners from being fatal.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      if (!this.#isTunnel) this.#closed();
    });
  }

  get isAuthenticated(): boolean {
    return this.#isAuthenticated;
  }

  authenticated(): void {
    if (this.#isAuthenticated || this.#isClosed) return;
    this.#isAuthenticated = true;
    clearTimeout(this.#deadline);
    this.events.authenticated();
  }

  /** A request has begun; its tunnel has limits of its own. */
  requestBegan(): void {
    this.#isBusy = true;
    if (this.#isAuthenticated) clearTimeout(this.#deadline);
  }

  /** A request has ended. Without valid credentials the first deadline goes on. */
  awaitRequest(whenIdle: () => void): void {
    this.#isBusy = false;
    if (!this.#isAuthenticated || this.socket.destroyed) return;
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(whenIdle, this.limits.nextRequestMs);
  }

  /** From here on the pipe alone closes it. */
  toSide(): TcpSide {
    this.#isTunnel = true;
    clearTimeout(this.#deadline);
    return new TcpSide(this.socket, this.limits, () => this.#closed());
  }

  /** Closes what no tunnel and no request uses. */
  cutIdle(): void {
    if (!this.#isTunnel && !this.#isBusy) this.socket.destroy();
  }

  #closed(): void {
    this.#isClosed = true;
    clearTimeout(this.#deadline);
    this.events.closed();
  }
}

/** Every client socket of this node from accept to close: the one place that knows and bounds them. */
export class ClientSockets {
  readonly #open = new Set<ClientSocket>();
  readonly #halfOpenByAddress = new Map<string, number>();
  #halfOpen = 0;

  constructor(private readonly limits: ClientLimits) {}

  get open(): number {
    return this.#open.size;
  }

  /** Those without valid credentials. */
  get halfOpen(): number {
    return this.#halfOpen;
  }

  /** Undefined when a limit leaves no room. */
  accept(socket: Socket): ClientSocket | undefined {
    const address = socket.remoteAddress ?? '';
    const fromAddress = this.#halfOpenByAddress.get(address) ?? 0;
    const { halfOpenPerNode, halfOpenPerAddress } = this.limits;
    if (this.#halfOpen >= halfOpenPerNode || fromAddress >= halfOpenPerAddress) return undefined;
    this.#halfOpen += 1;
    this.#halfOpenByAddress.set(address, fromAddress + 1);
    const client: ClientSocket = new ClientSocket(socket, this.limits, {
      authenticated: () => this.#leaveHalfOpen(address),
      closed: () => {
        this.#open.delete(client);
        if (!client.isAuthenticated) this.#leaveHalfOpen(address);
      },
    });
    this.#open.add(client);
    return client;
  }

  cutIdle(): void {
    for (const client of this.#open) client.cutIdle();
  }

  #leaveHalfOpen(address: string): void {
    this.#halfOpen -= 1;
    const left = (this.#halfOpenByAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#halfOpenByAddress.set(address, left);
    else this.#halfOpenByAddress.delete(address);
  }
}
