import type { SliceReader } from './handle.ts';

/** What a pipe learns from one of its sides. */
export interface SideListener {
  /** A chunk was read. False: the side stays paused until `resume`. */
  data(chunk: Buffer): boolean;
  /** The peer has ended its direction in order: everything that it sent has been read. */
  ended(): void;
  /** The side broke, by a reset or a network failure. */
  failed(): void;
  /** Nothing passes any more, and no write can touch a buffer. */
  closed(): void;
}

/** Lets a mover read a side's bytes into its own buffers instead of getting them by `data`. */
export interface DirectReads {
  /** Whether the side can be taken over now. */
  readonly isReady: boolean;
  /** Takes over and returns what the side has read already. Before `open`. */
  begin(reader: SliceReader): Buffer;
  /** Makes the next read smaller, although its slice has been requested. */
  shrinkNext(slice: Uint8Array): void;
}

/** Either end of a pipe: a plain socket, Node's HTTP client, later a TLS socket or an HTTP/2 stream. */
export interface Side {
  /** Absent where bytes do not come straight from a descriptor. */
  readonly direct?: DirectReads | undefined;
  /** Paused until `resume`. What happened before is reported soon after. */
  open(listener: SideListener): void;
  /** True: the chunk's memory is free and more may follow. False: both once `taken` is called. */
  write(chunk: Buffer, taken: () => void): boolean;
  readonly pendingBytes: number;
  /** Ends this direction behind everything that was written. */
  end(): void;
  /** Cuts both directions at once; what is pending may be lost. */
  reset(): void;
  /** Cuts both directions when the peer has everything that was written, so that it gets all and still sees a cut. */
  resetAfterDelivery(): void;
  /** Gives the side up, because its peer needs nothing more. */
  close(): void;
  resume(): void;
}
