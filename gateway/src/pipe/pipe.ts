import type { Meter } from '../metering/meter.ts';
import type { Side } from './side.ts';

export type PipeEnd = 'completed' | 'client-failed' | 'exit-failed';

/**
 * `deliver`: both sides receive all counted bytes and then a reset, so that truncated data never looks complete. `reset`:
 * resets both immediately. `close`: for a completed exchange, in which neither side waits for data.
 */
export type StopMode = 'deliver' | 'reset' | 'close';

export interface PipeTask {
  readonly client: Side;
  readonly exit: Side;
  /** Payload that the client sent together with its handshake. */
  readonly early: Buffer;
  readonly meter: Meter;
  /** Called when the exit's side has closed, even after `stop`. */
  exitClosed(): void;
  /** Called when one side has sent its end. */
  halfClosed(): void;
  /** Called when both sides have closed. Not called after `stop`. */
  ended(end: PipeEnd): void;
}

export interface Pipe {
  stop(mode: StopMode): void;
  /** Replaces the client side; the new one sent `early`. `isEnded`: the old one has already received the exit's end. */
  replaceClient(side: Side, early: Buffer, isEnded: boolean): void;
}

/** Relays the bytes of a tunnel between two sides. They are counted before each write. */
export interface Relay {
  readonly kind: 'pump' | 'streams';
  /** Pooled buffers in use by tunnels; 0 for relays without a pool. */
  readonly buffersInUse: number;
  start(task: PipeTask): Pipe;
}
