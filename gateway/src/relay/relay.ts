import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';
import type { Meter } from '../metering/meter.ts';

export type RelayEnd = 'completed' | 'client-failed' | 'exit-failed';

/** `flush` delivers what was counted and ends both sides in order; `reset` cuts both at once. */
export type StopMode = 'flush' | 'reset';

export interface RelayTask {
  /** Both paused, with no listeners but for errors. */
  readonly client: Socket;
  readonly exit: Socket;
  /** What the client sent behind its handshake. */
  readonly early: Buffer;
  readonly meter: Meter;
  readonly limits: Pick<Limits, 'lingerMs' | 'flushMs'>;
  /** One side has sent its end. */
  halfClosed(): void;
  /** Both sides have closed by themselves. Not called after `stop`. */
  ended(end: RelayEnd): void;
}

export interface RunningRelay {
  stop(mode: StopMode): void;
}

/** Moves the bytes of a tunnel between two sockets, counted before each write. */
export interface Relay {
  readonly kind: 'pump' | 'streams';
  /** Buffers that tunnels hold now; 0 for relays without a pool. */
  readonly buffersInUse: number;
  start(task: RelayTask): RunningRelay;
}
