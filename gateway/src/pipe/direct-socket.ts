import { type Server, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { handleMoves, type SliceReader, takeHandle } from './handle.ts';

/** As much as a relay reads without a lease: it may take over while a read into this buffer is pending. */
const SHARED_BYTES = 32 * 1024;
/** A read and its callback run synchronously, and the callback copies: all sockets share one buffer. */
const shared = Buffer.allocUnsafeSlow(SHARED_BYTES);

/** Where the bytes of a socket go: into its stream, until a relay takes them. */
class Destination implements SliceReader {
  socket: Socket | undefined;
  reader: SliceReader | undefined;

  readonly buffer = (): Uint8Array => this.reader?.buffer() ?? shared;

  readonly callback = (count: number, slice: Uint8Array): boolean => {
    if (this.reader) return this.reader.callback(count, slice);
    return this.socket?.push(Buffer.from(slice.subarray(0, count))) ?? false;
  };
}

/**
 * A socket like others, until a relay reads from it into buffers of its own. The relay needs no second socket for that, as it does for other
 * sockets: a second one takes an eighth of the CPU time of a new tunnel.
 */
export class DirectSocket extends Socket {
  readonly #destination: Destination;

  /** @param options of a socket, and the undocumented `handle` of an accepted one */
  constructor(options: { readonly noDelay?: boolean; readonly handle?: object; readonly pauseOnCreate?: boolean }) {
    const destination = new Destination();
    // Node's types know another kind of handle only.
    super({ ...options, allowHalfOpen: true, onread: destination } as object);
    destination.socket = this;
    this.#destination = destination;
  }

  /** Pauses. From now on the reader gets what arrives. @returns what was read before */
  takeOver(reader: SliceReader): Buffer {
    const unread = this.readableLength > 0 ? (this.read() as Buffer | null) : null;
    this.#destination.reader = reader;
    this.pause();
    return unread ?? Buffer.alloc(0);
  }

  /** Closes without closing the connection. @returns another socket for it, paused: a handle that reads into a buffer cannot do otherwise again */
  move(): DirectSocket {
    return new DirectSocket({ handle: takeHandle(this), pauseOnCreate: true });
  }

  /** Before `takeOver`, what arrives is read up to the usual limit, as of other sockets: so the end of a client that waits is seen. */
  override pause(): this {
    if (this.#destination.reader) return super.pause();
    Duplex.prototype.pause.call(this);
    return this;
  }
}

interface ListeningHandle {
  onconnection?: (this: unknown, error: number, handle: { setNoDelay(isOn: boolean): void } | undefined) => void;
}

/** From now on the server gives its clients to `accepted`, and emits `connection` only if this version of Node does not work that way. */
export function acceptDirectly(server: Server, accepted: (socket: Socket) => void): void {
  const handle = (server as unknown as { _handle?: ListeningHandle | null })._handle;
  const acceptByNode = handle?.onconnection;
  if (!handle || !acceptByNode) return;
  handle.onconnection = function (error, client) {
    if (error !== 0 || !client || !handleMoves.areSupported) return acceptByNode.call(this, error, client);
    client.setNoDelay(true);
    accepted(new DirectSocket({ handle: client }));
  };
}
