import type { ExitKind } from '@cellhop/contract/exits';
import type { Duplex } from 'node:stream';
import type { Side } from '../pipe/pipe.ts';
import type { Query } from '../protocol/dns.ts';
import type { Answer } from '../protocol/dns-records.ts';
import type { Drop } from '../metrics.ts';
import type { DatagramEvents } from '../udp/udp-socket.ts';

export interface Endpoint {
  /** Four or sixteen bytes. */
  readonly address: Uint8Array;
  readonly port: number;
}

/** The addresses of a name. Those that are known need no promise. */
export type Resolved = Uint8Array[] | Promise<Uint8Array[]>;

/** A paused connection to a destination. */
export interface ExitStream {
  readonly side: Side;
  /** The connection itself, for requests of this node; whoever uses it leaves the side alone. */
  readonly stream: Duplex;
  /** The source address and port that the destination sees, as far as the exit knows. */
  local(): Endpoint | undefined;
}

/** A stream, and the checked address to which it leads. */
export interface DialledStream extends ExitStream {
  readonly address: Uint8Array;
}

/** A checked destination of datagrams. */
export interface DatagramTarget {
  readonly text: string;
  readonly port: number;
  /** Its address and port as the header of a SOCKS5 datagram. */
  readonly header: Buffer;
}

export interface ExitPortEvents extends DatagramEvents {
  /** The exit dropped a datagram that did not come from a destination. */
  dropped(reason: Drop): void;
  /** The exit has closed the port: nothing passes any more. Not called after `close`. */
  ended(): void;
}

/** A port of an exit, from which datagrams leave. */
export interface ExitPort {
  /** The send queue is so long that further datagrams should be dropped: UDP has no backpressure. */
  readonly isCongested: boolean;
  /** Starts to report events. Datagrams that arrived before are discarded. */
  open(events: ExitPortEvents): void;
  /** @param target of the port's family */
  send(payload: Uint8Array, target: DatagramTarget): void;
  close(): void;
}

/**
 * A route to the internet, shared by all connections that use it. It does not check destinations; the guard does. If
 * an exit fails, the dial fails: traffic never leaves by another route.
 */
export interface Exit {
  readonly kind: ExitKind;
  /**
   * How it carries UDP: not at all, by a port for each address family, or by one port for all, which another proxy may
   * refuse.
   */
  readonly udp: 'none' | 'each-family' | 'one-port';
  /** How long a dial may take before the next address of the destination is dialled as well. */
  readonly attemptDelayMs: number;
  /** Whether it can reach addresses of this family. */
  reaches(address: Uint8Array): boolean;
  /**
   * Resolves the name of a customer's destination: through the exit, or as `resolvesNames` says.
   * @throws TunnelFailure
   */
  resolve(name: string, abort: DialAbort): Resolved;
  /**
   * The same for checks of the exit, which tell whether tunnels open: another proxy through which DNS does not work is no dead one.
   * @throws TunnelFailure
   */
  resolveForCheck(name: string, abort: DialAbort): Resolved;
  /**
   * Asks the exit's name servers a question of a client.
   * @param needsWhole not a truncated answer
   * @returns the answer; its id and the spelling of its question are not the client's
   * @throws TunnelFailure
   */
  ask(query: Query, options: { readonly needsWhole: boolean }): Promise<Answer>;
  /** @throws TunnelFailure */
  connect(destination: Endpoint, timeoutMs: number, abort: DialAbort): Promise<ExitStream>;
  /**
   * Opens a port for datagrams to checked destinations.
   * @param family of the destinations; without meaning if one port serves all
   * @throws TunnelFailure
   */
  openUdp(family: 4 | 6, abort: DialAbort): Promise<ExitPort>;
  /** Checks what this host knows about the exit; called periodically while it is in use, so it does not wait for the network. */
  check(): Promise<void>;
  /** The exit has failed for so long that its connections should end. */
  readonly isLost: boolean;
  /** Whether checks of the exit have failed for so long, by the control plane's records. */
  setLost(isLost: boolean): void;
  /** Its address is about to change, which ends its tunnels: an end of a destination is no clean one meanwhile. */
  isRotating: boolean;
  /** False: another proxy, whose destinations are resolved by the name servers of this node. The control plane decides, and may change it. */
  resolvesNames: boolean;
  /** Whether it leads into a private network, about whose machines and ports the reason of a failed check says nothing. */
  readonly isPrivate: boolean;
  /** Called when no connection uses the exit any more. */
  close(): void;
}

/**
 * Cancels a dial. An AbortSignal does the same, but it is an EventTarget, and creating one per tunnel was visible in
 * profiles.
 */
export class DialAbort {
  #isAborted = false;
  readonly #callbacks = new Set<() => void>();

  get isAborted(): boolean {
    return this.#isAborted;
  }

  abort(): void {
    this.#isAborted = true;
    for (const callback of this.#callbacks) callback();
    this.#callbacks.clear();
  }

  /** Calls back once, immediately if already aborted. @returns a function that cancels the callback */
  whenAborted(callback: () => void): () => void {
    if (this.#isAborted) callback();
    else this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }
}
