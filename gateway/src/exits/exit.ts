import type { Side } from '../pipe/side.ts';
import type { DialAbort } from './dial-abort.ts';

export interface Endpoint {
  /** Four or sixteen bytes. */
  readonly address: Uint8Array;
  readonly port: number;
}

/** A connection to a destination, paused. */
export interface ExitStream {
  readonly side: Side;
  /** Where the destination sees it come from, as far as the exit knows. */
  local(): Endpoint | undefined;
}

/**
 * A way out to the internet, shared by all connections that use it. It asks and connects as it is told: what may be
 * reached has been decided before (`dial.ts`). An exit that fails is a failure: nothing ever leaves by another route.
 */
export interface Exit {
  readonly kind: 'local-address';
  /** Whether it can reach addresses of this family. */
  reaches(address: Uint8Array): boolean;
  /**
   * The addresses of a name, as they are seen from where the exit leads.
   * @throws TunnelFailure
   */
  resolve(name: string, abort: DialAbort): Promise<Uint8Array[]>;
  /** @throws TunnelFailure */
  connect(destination: Endpoint, timeoutMs: number, abort: DialAbort): Promise<ExitStream>;
  /** Looks whether it still works; asked again and again while connections use it. */
  check(): Promise<void>;
  /** It has been out of order for so long that its connections should end. */
  readonly isLost: boolean;
  /** No connection uses it any more. */
  close(): void;
}
