import type { Meter } from '../metering/meter.ts';
import type { Side } from './side.ts';

export type PipeEnd = 'completed' | 'client-failed' | 'exit-failed';

/**
 * `deliver`: both sides get what was counted for them and then a cut, never an end that looks complete. `reset` cuts both
 * at once. `close` is for an exchange that is over: neither side waits for anything.
 */
export type StopMode = 'deliver' | 'reset' | 'close';

export interface PipeTask {
  readonly client: Side;
  readonly exit: Side;
  /** What the client sent behind its handshake. */
  readonly early: Buffer;
  readonly meter: Meter;
  /** The exit's side has closed, also after `stop`. */
  exitClosed(): void;
  /** One side has sent its end. */
  halfClosed(): void;
  /** Both sides have closed by themselves. Not called after `stop`. */
  ended(end: PipeEnd): void;
}

export interface Pipe {
  stop(mode: StopMode): void;
  /** Goes on with another client side, which sent `early`. `isEnded`: the old one was told that the exit has ended. */
  replaceClient(side: Side, early: Buffer, isEnded: boolean): void;
}

/** Moves the bytes of a tunnel between two sides, counted before each write. */
export interface Mover {
  readonly kind: 'pump' | 'streams';
  /** Buffers that tunnels hold now; 0 for movers without a pool. */
  readonly buffersInUse: number;
  start(task: PipeTask): Pipe;
}
