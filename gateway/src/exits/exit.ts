import type { Socket } from 'node:net';
import type { Target } from '../protocol/host.ts';
import type { DialAbort } from './dial-abort.ts';

/** A way out to the internet for one connection. */
export interface ExitRoute {
  readonly kind: 'local-address';
  /** The address of this host that it leaves from; null: the host's own route. */
  readonly address: string | null;
  /**
   * Resolves, judges and dials a destination. The socket is connected and paused. An exit that fails is a failure:
   * nothing ever leaves by another route.
   * @throws TunnelFailure
   */
  dial(target: Target, abort: DialAbort): Promise<Socket>;
}
