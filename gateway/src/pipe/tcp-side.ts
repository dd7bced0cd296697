import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';
import { hasHandle, moveHandle, resetSocket, shrinkNextRead, type SliceReader, wasReset } from './handle.ts';
import { whenDelivered } from './send-queue.ts';
import type { DirectReads, Side, SideListener } from './pipe.ts';

type DeliveryLimits = Pick<Limits, 'lingerMs' | 'flushMs'>;

/** A TCP socket as a side of a pipe. The socket must be paused and allow half-open connections. */
export class TcpSide implements Side, DirectReads {
  #isDirect = false;

  constructor(
    private socket: Socket,
    private readonly limits: DeliveryLimits,
    private readonly whenClosed: () => void = () => {},
  ) {}

  get direct(): DirectReads {
    return this;
  }

  /**
   * With pending writes the old socket would still own the handle. A failed write has consumed the socket's error: the next
   * owner of the handle would read a reset as an end.
   */
  get isReady(): boolean {
    return hasHandle(this.socket) && this.socket.errored === null && this.socket.writableLength === 0;
  }

  takeOver(reader: SliceReader): Buffer {
    this.#isDirect = true;
    const alreadyRead = (this.socket.read() as Buffer | null) ?? Buffer.alloc(0);
    this.socket = moveHandle(this.socket, reader);
    return alreadyRead;
  }

  shrinkNext(slice: Uint8Array): void {
    shrinkNextRead(this.socket, slice);
  }

  open(listener: SideListener): void {
    const { socket } = this;
    const closed = () => {
      this.whenClosed();
      listener.closed();
    };
    if (socket.destroyed) {
      queueMicrotask(() => {
        listener.failed();
        closed();
      });
      return;
    }
    socket.on('error', () => listener.failed());
    socket.on('close', closed);
    if (socket.readableEnded) queueMicrotask(() => this.#ended(listener));
    else socket.on('end', () => this.#ended(listener));
    if (this.#isDirect) return;
    socket.pause();
    socket.on('data', (chunk: Buffer) => {
      if (!listener.data(chunk)) socket.pause();
    });
  }

  write(chunk: Buffer, onDrained: () => void): boolean {
    this.socket.write(chunk, onDrained);
    return this.socket.writableLength === 0;
  }

  get pendingBytes(): number {
    return this.socket.writableLength;
  }

  /** If the other direction has ended and nothing is pending, a close equals a half-close but costs half as much. */
  end(): void {
    if (this.socket.readableEnded && this.socket.writableLength === 0) this.socket.destroy();
    else if (!this.socket.destroyed) this.socket.end();
  }

  reset(): void {
    if (!this.socket.destroyed) resetSocket(this.socket);
  }

  resetAfterDelivery(): void {
    this.socket.pause();
    whenDelivered(this.socket, this.limits, () => this.reset());
  }

  close(): void {
    this.socket.destroy();
  }

  resume(): void {
    if (!this.socket.destroyed) this.socket.resume();
  }

  #ended(listener: SideListener): void {
    // A failed write has consumed the error that distinguishes a reset from an end.
    if (this.socket.errored === null && !wasReset(this.socket)) return listener.ended();
    listener.failed();
    this.reset();
  }
}
