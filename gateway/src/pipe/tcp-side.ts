import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Limits } from '../limits.ts';
import { DirectSocket } from './direct-socket.ts';
import {
  handleMoves,
  hasHandle,
  isReading,
  lendHandle,
  moveHandle,
  resetSocket,
  returnHandle,
  shrinkNextRead,
  type SliceReader,
  wasReset,
} from './handle.ts';
import { whenDelivered } from './send-queue.ts';
import type { Borrower, DirectReads, Side, SideListener } from './pipe.ts';

/** After these errors of a write the peer can send nothing more: what has arrived is all that will be read. */
const PEER_IS_GONE = new Set(['ECONNRESET', 'EPIPE']);

type DeliveryLimits = Pick<Limits, 'lingerMs' | 'flushMs'>;

/** A socket of TCP, or of TLS over it, as a side of a pipe. It must be paused and allow half-open connections. */
export class TcpSide implements Side, DirectReads {
  #reader: SliceReader | undefined;
  #listener: SideListener | undefined;
  /** Set while a write waits. */
  #onDrained: (() => void) | undefined;
  /** What had been read when a write failed: since then the rest is read, and nothing more is written. */
  #readBytesAtFailure: number | undefined;
  /** Set while native code uses the descriptor. */
  #borrower: Borrower | undefined;

  constructor(
    private socket: Socket,
    private readonly limits: DeliveryLimits,
    private readonly whenClosed: () => void = () => {},
    /** An end of the peer is none of its own just now: its data may be truncated. */
    private readonly isCut: () => boolean = () => false,
  ) {}

  /** What a descriptor of TLS carries is encrypted. */
  get direct(): DirectReads | undefined {
    return this.socket instanceof TLSSocket ? undefined : this;
  }

  /**
   * With pending writes the old socket would still own the handle. A failed write has consumed the socket's error: the next
   * owner of the handle would read a reset as an end.
   */
  get isReady(): boolean {
    return hasHandle(this.socket) && this.socket.errored === null && this.socket.writableLength === 0;
  }

  takeOver(reader: SliceReader): Buffer {
    this.#reader = reader;
    if (this.socket instanceof DirectSocket) return this.socket.takeOver(reader);
    const alreadyRead = (this.socket.read() as Buffer | null) ?? Buffer.alloc(0);
    this.socket = moveHandle(this.socket, reader);
    return alreadyRead;
  }

  shrinkNext(slice: Uint8Array): void {
    shrinkNextRead(this.socket, slice);
  }

  lend(borrower: Borrower): number | undefined {
    const descriptor = lendHandle(this.socket);
    if (descriptor !== undefined) this.#borrower = borrower;
    return descriptor;
  }

  returned(): void {
    if (this.#borrower === undefined) return;
    this.#borrower = undefined;
    returnHandle(this.socket);
  }

  fail(error: Error): void {
    this.socket.destroy(error);
  }

  /** A descriptor that is closed while native code uses it may become that of another customer. */
  #takeBack(): void {
    this.#borrower?.giveBack();
    if (this.#borrower !== undefined) throw new Error('A descriptor is still lent');
  }

  open(listener: SideListener): void {
    this.#listener = listener;
    const { socket } = this;
    if (socket.destroyed) {
      queueMicrotask(() => {
        listener.failed();
        this.#closed();
      });
      return;
    }
    this.#listen();
    if (socket.readableEnded) queueMicrotask(this.#ended);
    if (!this.#reader) socket.pause();
  }

  write(chunk: Buffer, onDrained: () => void): boolean {
    this.#takeBack();
    if (this.#readBytesAtFailure !== undefined) return false;
    this.socket.write(chunk, this.#written);
    if (this.socket.writableLength === 0) return true;
    this.#onDrained = onDrained;
    return false;
  }

  get pendingBytes(): number {
    return this.#readBytesAtFailure !== undefined ? Number.POSITIVE_INFINITY : this.socket.writableLength;
  }

  /** If the other direction has ended and nothing is pending, a close equals a half-close but costs half as much. TLS says that it ends. */
  end(): void {
    this.#takeBack();
    if (this.direct && this.socket.readableEnded && this.socket.writableLength === 0) this.socket.destroy();
    else if (!this.socket.destroyed) this.socket.end();
  }

  reset(): void {
    this.#takeBack();
    if (!this.socket.destroyed) resetSocket(this.socket);
  }

  resetAfterDelivery(): void {
    this.#takeBack();
    this.socket.pause();
    whenDelivered(this.socket, this.limits, () => this.reset());
  }

  close(): void {
    this.#takeBack();
    this.socket.destroy();
  }

  resume(): void {
    this.#takeBack();
    if (!this.socket.destroyed) this.socket.resume();
  }

  #listen(): void {
    this.socket.on('error', this.#failed);
    this.socket.on('close', this.#closed);
    this.socket.on('end', this.#ended);
    if (!this.#reader) this.socket.on('data', this.#read);
  }

  readonly #read = (chunk: Buffer): void => {
    if (!this.#listener?.data(chunk)) this.socket.pause();
  };

  readonly #written = (error?: NodeJS.ErrnoException | null): void => {
    if (error) {
      if (PEER_IS_GONE.has(error.code ?? '')) this.#readRest();
      return;
    }
    if (this.socket.writableLength > 0) return;
    const onDrained = this.#onDrained;
    this.#onDrained = undefined;
    onDrained?.();
  };

  /**
   * After a failed write Node destroys the socket, with everything that had arrived: often the answer to what was being
   * written. So its handle moves to a socket that only reads, at the pace of the other side, until the end or the reset.
   */
  #readRest(): void {
    const { socket } = this;
    this.#takeBack();
    if (this.#readBytesAtFailure !== undefined || !handleMoves.areSupported) return;
    if (!this.direct || !hasHandle(socket) || socket.readableEnded) return;
    const isFlowing = this.#reader ? isReading(socket) : socket.readableFlowing === true;
    socket.off('error', this.#failed).off('close', this.#closed).off('end', this.#ended).off('data', this.#read);
    const unread = socket.read() as Buffer | null;
    this.#readBytesAtFailure = socket.bytesRead - (unread?.length ?? 0);
    this.socket = socket instanceof DirectSocket && !this.#reader ? socket.move() : moveHandle(socket, this.#reader);
    if (unread) this.socket.unshift(unread);
    this.#listen();
    if (isFlowing) this.socket.resume();
  }

  readonly #failed = (): void => {
    // Node keeps what a paused socket had read before its reset, but reports it no more.
    const unread = this.#reader ? null : (this.socket.read() as Buffer | null);
    if (unread) this.#listener?.data(unread);
    const before = this.#readBytesAtFailure;
    this.#listener?.failed(before === undefined ? undefined : this.socket.bytesRead - before);
  };

  readonly #closed = (): void => {
    this.whenClosed();
    this.#listener?.closed();
  };

  readonly #ended = (): void => {
    // A failed write has consumed the error that distinguishes a reset from an end.
    const isClean =
      this.#readBytesAtFailure === undefined && this.socket.errored === null && !wasReset(this.socket) && !this.isCut();
    if (isClean) return this.#listener?.ended();
    this.#failed();
    this.reset();
  };
}
