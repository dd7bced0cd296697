import { readSync } from 'node:fs';
import { type Server, Socket, type SocketConstructorOpts } from 'node:net';
import type { Duplex } from 'node:stream';

/** What resets and closes need: a socket, or what stands for one. */
export interface Transport extends Duplex {
  readonly bytesWritten: number;
  resetAndDestroy(): unknown;
}

/** `buffer` returns the slice for the next read, after each callback. A callback that returns false pauses reading. */
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
  onread: SliceReader | undefined;
  handle: ReadingHandle;
  pauseOnCreate: boolean;
}

interface WithHandle {
  _handle?: ReadingHandle | null;
}

const probe = Buffer.alloc(1);

/** Whether this version of Node can move handles: `choose-relay.ts` tests it before the first tunnel. */
export const handleMoves = { areSupported: true };

/**
 * Moves the handle of a socket to a new, paused socket, which may read into buffers of the caller (`onread`). Node
 * documents `onread` for outgoing sockets only; accepted ones need the undocumented `handle` option, so `choose-relay.ts`
 * tests it at the start. The old socket closes without closing the connection.
 */
export function moveHandle(socket: Socket, reader?: SliceReader): Socket {
  const options: Omit<SocketConstructorOpts, 'handle'> & Undocumented = {
    handle: takeHandle(socket),
    pauseOnCreate: true,
    allowHalfOpen: true,
    onread: reader,
  };
  // Node's types know another kind of handle only.
  return new Socket(options as object);
}

/** The same for a new socket of another class. */
export function takeHandle(socket: Socket): ReadingHandle {
  const owner = socket as unknown as WithHandle;
  const handle = owner._handle;
  if (!handle) throw new Error('The socket has no handle');
  handle.reading = false;
  handle.readStop();
  owner._handle = null;
  socket.destroy();
  return handle;
}

/**
 * Shrinks the next read of a moved socket after its slice was requested. The new slice must be the start of the old one,
 * because the callback still gets the old one.
 */
export function shrinkNextRead(socket: Socket, slice: Uint8Array): void {
  (socket as unknown as WithHandle)._handle?.useUserBuffer(slice);
}

/** Whether a socket that was moved is reading now. */
export const isReading = (socket: Socket): boolean => (socket as unknown as WithHandle)._handle?.reading ?? false;

export const hasHandle = (socket: Socket): boolean => Boolean((socket as unknown as WithHandle)._handle);

/**
 * Resets a connection. libuv refuses a reset while a shutdown is pending, and Node then closes neither the descriptor nor
 * the stream. So a reset after `end` waits for `finish`, which takes one turn of the event loop.
 */
export function resetSocket(socket: Transport): void {
  const isEnding = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isEnding && !socket.destroyed) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}

/** Undefined on platforms without descriptors. */
export const socketDescriptor = (socket: Transport): number | undefined => descriptorOf(socket);

/** The same of a server that listens. */
export const listeningDescriptor = (server: Server): number | undefined => descriptorOf(server);

function descriptorOf(owner: unknown): number | undefined {
  const descriptor = (owner as WithHandle)._handle?.fd;
  return descriptor !== undefined && descriptor >= 0 ? descriptor : undefined;
}

/**
 * Stops reading until `returnHandle`. Node starts it again at any turn, after an earlier `resume`, unless it believes that it reads.
 * @returns the descriptor; undefined if there is none
 */
export function lendHandle(socket: Socket): number | undefined {
  const handle = (socket as unknown as WithHandle)._handle;
  const descriptor = socketDescriptor(socket);
  if (!handle || descriptor === undefined) return undefined;
  handle.readStop();
  handle.reading = true;
  return descriptor;
}

export function returnHandle(socket: Socket): void {
  const handle = (socket as unknown as WithHandle)._handle;
  if (handle) handle.reading = false;
}

/**
 * Whether the `end` that a socket has just emitted was a reset. libuv reports an end if a reset arrives after data that
 * fills a read only partly; without this check a truncated download would look complete. The system keeps the error for
 * the next system call on the descriptor, which is this one.
 */
export function wasReset(socket: Socket): boolean {
  const descriptor = socketDescriptor(socket);
  if (descriptor === undefined) return false;
  try {
    readSync(descriptor, probe, 0, 1, null);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  }
}
