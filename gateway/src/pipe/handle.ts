import { readSync } from 'node:fs';
import { Socket, type SocketConstructorOpts } from 'node:net';

/** Asked for the slice of the next read after each callback; a callback that returns false pauses. */
export interface SliceReader {
  buffer(): Uint8Array;
  callback(count: number, slice: Uint8Array): boolean;
}

interface ReadingHandle {
  readonly fd?: number;
  reading: boolean;
  readStop(): void;
  useUserBuffer(slice: Uint8Array): void;
}

interface Undocumented {
  onread: SliceReader;
  handle: ReadingHandle;
  pauseOnCreate: boolean;
}

interface WithHandle {
  _handle?: ReadingHandle | null;
}

const probe = Buffer.alloc(1);

/**
 * Moves a paused socket's handle to a new socket that reads into buffers of ours. Node offers this for outgoing
 * sockets alone; for accepted ones there is only the undocumented `handle` option, hence the test at start. The new
 * socket is paused. The old one closes without touching the connection.
 */
export function moveHandle(socket: Socket, reader: SliceReader): Socket {
  const owner = socket as unknown as WithHandle;
  const handle = owner._handle;
  if (!handle) throw new Error('The socket has no handle');
  handle.reading = false;
  handle.readStop();
  owner._handle = null;
  socket.destroy();
  const options: SocketConstructorOpts & Undocumented = {
    handle,
    pauseOnCreate: true,
    allowHalfOpen: true,
    onread: reader,
  };
  return new Socket(options);
}

/**
 * Makes the next read of a moved socket smaller, although its slice has been asked for. The new slice must be the
 * beginning of the old one, because the callback still gets the old one.
 */
export function shrinkNextRead(socket: Socket, slice: Uint8Array): void {
  (socket as unknown as WithHandle)._handle?.useUserBuffer(slice);
}

export const hasHandle = (socket: Socket): boolean => Boolean((socket as unknown as WithHandle)._handle);

/**
 * Resets a connection. libuv refuses that while an end is on its way to the system, and Node then closes nothing: neither
 * the descriptor nor the stream. So a reset behind an end waits for it, which takes one turn of the event loop.
 */
export function resetSocket(socket: Socket): void {
  const isEnding = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isEnding && !socket.destroyed) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}

/** Undefined where the platform has none. */
export function descriptorOf(socket: Socket): number | undefined {
  const descriptor = (socket as unknown as WithHandle)._handle?.fd;
  return descriptor !== undefined && descriptor >= 0 ? descriptor : undefined;
}

/**
 * Whether the `end` that a socket has just emitted was in truth a reset. libuv reports an end when a reset arrives
 * behind data that fills a read only partly; without this check a cut download would look complete. The error stays
 * with the descriptor until the next system call, which this is.
 */
export function wasReset(socket: Socket): boolean {
  const descriptor = descriptorOf(socket);
  if (descriptor === undefined) return false;
  try {
    readSync(descriptor, probe, 0, 1, null);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  }
}
