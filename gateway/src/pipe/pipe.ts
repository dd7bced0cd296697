import type { Limits } from '../limits.ts';
import type { Meter } from '../metering/meter.ts';
import type { SliceReader } from './handle.ts';
import type { RawSockets } from './raw-sockets.ts';

/** The events of one side of a pipe. */
export interface SideListener {
  /** A chunk was read. False: the side stays paused until `resume`. */
  data(chunk: Buffer): boolean;
  /** The peer has ended its direction cleanly, and all of its data has been read. */
  ended(): void;
  /** A reset or a network failure. `restBytes`: what was read after a failed write; undefined if no write has failed. */
  failed(restBytes?: number): void;
  /** The side is closed, and no write uses a buffer any more. */
  closed(): void;
}

/** Uses a descriptor that was lent. */
export interface Borrower {
  /** Must end the use of the descriptor, and say so by `Lendable.returned`. */
  giveBack(): void;
}

/** A descriptor that native code may use for a while. */
export interface Lendable {
  /** Whether nothing waits to be written, so that the descriptor can be lent or taken over now. */
  readonly isReady: boolean;
  /**
   * Stops reading and lends the descriptor to native code. Before the side does anything with its socket, it has the borrower give it back;
   * `returned` says that this is done. Undefined if there is no descriptor.
   */
  lend(borrower: Borrower): number | undefined;
  returned(): void;
  /** Native code has consumed this error of the socket. Call it after `returned`. */
  fail(error: Error): void;
  /** Native code has read the end. Call it after `returned`. Whoever lacks it reads the end again. */
  sawEnd?(): void;
}

/** A socket that is no object of Node. */
export interface RawReads extends Lendable {
  /** @returns what was read before the pipe */
  takeUnread(): Buffer;
  /** Told after a chunk was read and its receiver takes more. */
  reader: RawReader | undefined;
}

export interface RawReader {
  chunkRead(): void;
}

/** Lets a relay read into its own buffers instead of receiving chunks by `data`. */
export interface DirectReads extends Lendable {
  /** Takes over reading; call it before `open`. @returns the bytes that were already read */
  takeOver(reader: SliceReader): Buffer;
  /** Shrinks the next read after its slice was requested. */
  shrinkNext(slice: Uint8Array): void;
}

/** Who opened a socket of a pipe. */
export interface SideOwner {
  readonly limits: Pick<Limits, 'lingerMs' | 'flushMs'>;
  sideClosed?(): void;
  /** An end of the peer is none of its own just now: its data may be truncated. */
  isCut?(): boolean;
}

/** One side of a pipe: a TCP socket, or an HTTP exchange. */
export interface Side {
  /** Set while the side is a socket of native code. Whoever asks for `direct` makes it a socket of Node. */
  readonly raw?: RawReads | undefined;
  /** Undefined if the bytes do not come directly from a descriptor. */
  readonly direct?: DirectReads | undefined;
  /** Starts to report events; paused until `resume`. Earlier events are reported asynchronously. */
  open(listener: SideListener): void;
  /** True: the chunk's memory is free and more may follow. False: both only after `onDrained` was called. */
  write(chunk: Buffer, onDrained: () => void): boolean;
  readonly pendingBytes: number;
  /** Ends this direction after all written bytes. */
  end(): void;
  /** Resets both directions; pending bytes may be lost. */
  reset(): void;
  /** Resets both directions after the peer has acknowledged all written bytes. */
  resetAfterDelivery(): void;
  /** Closes the side, because its peer needs nothing more. */
  close(): void;
  resume(): void;
}

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
  readonly owner: PipeOwner;
}

/** An object that lives as long as the pipe: functions for each tunnel would take more memory than the rest of the pipe. */
export interface PipeOwner {
  /** Called when the exit's side has closed, even after `stop`. */
  exitClosed(): void;
  /** Called when one side has sent its end. */
  halfClosed(): void;
  /** Called when both sides have closed. Not called after `stop`. */
  pipeEnded(end: PipeEnd): void;
}

export interface Pipe {
  stop(mode: StopMode): void;
  /** Replaces the client side; the new one sent `early`. `isEnded`: the old one has already received the exit's end. */
  replaceClient(side: Side, early: Buffer, isEnded: boolean): void;
}

/** Relays the bytes of a tunnel between two sides. They are counted before each write. */
export interface Relay {
  readonly kind: 'splice' | 'pump' | 'streams';
  /** Pooled buffers in use by tunnels; 0 for relays without a pool. */
  readonly buffersInUse: number;
  /** Tunnels whose bytes pass through native code now, and the pipes that it has. */
  readonly native?: { readonly tunnels: number; readonly pipes: number } | undefined;
  /** Sockets that need no object of Node, whose tunnels this relay serves best. Undefined without native code. */
  readonly sockets?: RawSockets | undefined;
  start(task: PipeTask): Pipe;
}
