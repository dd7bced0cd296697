import type { Transport } from '../pipe/handle.ts';
import type { ClientSocket } from './client-socket.ts';

/** Who sends requests of HTTP: a client socket, or one stream of it. */
export interface RequestClient extends Pick<
  ClientSocket,
  'address' | 'networks' | 'network' | 'interrupt' | 'requestStarted' | 'authenticated' | 'awaitRequest' | 'inTurn'
> {
  readonly socket: Transport;
  /** Undefined: its requests cannot be upgraded. */
  readonly toSide?: ClientSocket['toSide'];
}
