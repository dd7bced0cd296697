import type { Side } from '../pipe/side.ts';
import type { Answer, Query } from '../protocol/dns.ts';
import type { DatagramPort } from '../udp/udp-socket.ts';
import type { DialAbort } from './dial-abort.ts';

export interface Endpoint {
  /** Four or sixteen bytes. */
  readonly address: Uint8Array;
  readonly port: number;
}

/** A paused connection to a destination. */
export interface ExitStream {
  readonly side: Side;
  /** The source address and port that the destination sees, as far as the exit knows. */
  local(): Endpoint | undefined;
}

/**
 * A route to the internet, shared by all connections that use it. It does not check destinations; the guard has done so. If
 * an exit fails, the dial fails: traffic never leaves by another route.
 */
export interface Exit {
  readonly kind: 'local-address' | 'socks5' | 'http';
  /** Whether `openUdp` works at all. */
  readonly relaysUdp: boolean;
  /** Whether it can reach addresses of this family. */
  reaches(address: Uint8Array): boolean;
  /**
   * Resolves a name through the exit.
   * @throws TunnelFailure
   */
  resolve(name: string, abort: DialAbort): Promise<Uint8Array[]>;
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
   * Opens a port for datagrams to checked destinations of one address family.
   * @throws TunnelFailure
   */
  openUdp(family: 4 | 6): Promise<DatagramPort>;
  /** Checks whether the exit works; called periodically while connections use it, so it does not wait for the network. */
  check(): Promise<void>;
  /** The exit has failed for so long that its connections should end. */
  readonly isLost: boolean;
  /** Called when no connection uses the exit any more. */
  close(): void;
}
