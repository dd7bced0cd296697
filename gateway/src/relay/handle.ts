import { Socket, type SocketConstructorOpts } from 'node:net';

/** Asked for the slice of the next read after each callback; a callback that answers false pauses. */
export interface SliceReader {
  buffer(): Uint8Array;
  callback(count: number, slice: Uint8Array): boolean;
}

interface ReadingHandle {
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
  _handle: ReadingHandle | null;
}

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
