import { Socket, type SocketConstructorOpts } from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { NativeSockets } from './native-sockets.ts';
import { NativeTable } from './native-table.ts';

/** Kinds of events. */
const ACCEPTED = 0;
const CONNECTED = 1;
const DATA = 2;
const ENDED = 3;
const FAILED = 4;
const DRAINED = 5;
const UNWRITTEN = 6;
/** A kind that native code does not know. */
const REPORTED = -1;
const NUMBERS_PER_EVENT = 4;
const EVENTS = 258;
const BUFFER_BYTES = 256 * 1024;
/** Behind the bytes of sockets: two addresses, or a port and an address. */
const ADDRESSES_BYTES = 32;

/** What a socket reports to its owner. */
export interface RawListener {
  data(chunk: Buffer): void;
  /** The peer has ended its direction, and all of its data was reported. */
  ended(): void;
  /** A reset or a failure of the network. The descriptor is closed. */
  failed(error: Error): void;
  /** What was written has failed later. Nothing more can be written, but something may still be read. */
  unwritten(): void;
  /** Called once when the socket is closed, later than its cause. Not if it became a socket of Node. */
  closed?(): void;
  drained?(): void;
  connected?(): void;
}

interface ListenerEvents {
  accepted(socket: RawSocket): void;
  /** No descriptor was left for a client, which was closed. */
  exhausted(): void;
}

interface Connecting {
  readonly address: Uint8Array;
  readonly port: number;
  /** Empty: the host's choice. */
  readonly localAddress: Uint8Array;
  readonly localPort: number;
}

interface Undocumented {
  pauseOnCreate: boolean;
}

/** The sockets of native code. What it reports was true before the first report of its batch. */
export class RawSockets {
  readonly #events = new Float64Array(new ArrayBuffer(EVENTS * NUMBERS_PER_EVENT * Float64Array.BYTES_PER_ELEMENT));
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES + ADDRESSES_BYTES);
  readonly #open = new NativeTable<RawSocket>();
  /** Those that became sockets of Node while a batch is reported: its later events are theirs. */
  readonly #taken = new Map<number, Socket>();
  #isReporting = false;
  #batch = new Float64Array();
  #acceptor: ListenerEvents | undefined;

  /** @throws Error if the system refuses what it needs */
  constructor(readonly native: NativeSockets) {
    if (!native.startSockets((count) => this.#reported(count), this.#events, this.#buffer))
      throw new Error('The system refuses epoll');
  }

  get open(): number {
    return this.native.countSockets();
  }

  /**
   * Accepts the clients of a listening socket, also after its owner has closed it.
   * @returns false if it cannot be watched
   */
  listen(descriptor: number, events: ListenerEvents): boolean {
    this.#acceptor = events;
    return this.native.listen(descriptor);
  }

  stopListening(): void {
    this.native.stopListening();
  }

  /** Copies the addresses: V8 would move a small array out of its heap for native code. @throws the system's error */
  connect({ address, port, localAddress, localPort }: Connecting): RawSocket {
    this.#buffer.set(address, BUFFER_BYTES);
    this.#buffer.set(localAddress, BUFFER_BYTES + address.length);
    const id = this.native.connect(address.length, port, localAddress.length, localPort);
    if (id < 0) throw systemError(-id, 'connect');
    return this.#add(new RawSocket(this, id, 'connect'));
  }

  /** The port and address that a peer sees; undefined if there is none any more. */
  local(id: number): { address: Uint8Array; port: number } | undefined {
    const length = this.native.local(id);
    if (length === 0) return undefined;
    const address = Uint8Array.prototype.slice.call(this.#buffer, BUFFER_BYTES + 2, BUFFER_BYTES + 2 + length);
    return { address, port: this.#buffer.readUInt16BE(BUFFER_BYTES) };
  }

  closed(id: number): void {
    this.#open.delete(id);
  }

  taken(id: number, socket: Socket): void {
    this.#open.delete(id);
    if (this.#isReporting) this.#taken.set(id, socket);
  }

  /**
   * Reports now what has come for this socket in the batch. A socket of Node whose write fails drops what is pushed later, and it is often the
   * answer to what was being written.
   */
  reportData(id: number): void {
    const events = this.#batch;
    if (!this.#isReporting) return;
    for (let at = 0; at < events.length; at += NUMBERS_PER_EVENT) {
      if (events[at] !== DATA || events[at + 1] !== id) continue;
      events[at] = REPORTED;
      this.#open.get(id)?.reported(DATA, 0, this.#copy(events[at + 2]!, events[at + 3]!));
    }
  }

  #add(socket: RawSocket): RawSocket {
    this.#open.add(socket.id, socket);
    return socket;
  }

  /** Copied first, because what events cause may report others. */
  #reported(count: number): void {
    const events = this.#events.slice(0, count * NUMBERS_PER_EVENT);
    this.#isReporting = true;
    this.#batch = events;
    try {
      for (let at = 0; at < events.length; at += NUMBERS_PER_EVENT) this.#reportAt(events, at);
    } finally {
      this.#isReporting = false;
      this.#taken.clear();
    }
  }

  #reportAt(events: Float64Array, at: number): void {
    const kind = events[at]!;
    events[at] = REPORTED;
    if (kind !== REPORTED) this.#report(kind, events[at + 1]!, events[at + 2]!, events[at + 3]!);
  }

  #report(kind: number, id: number, at: number, length: number): void {
    if (kind === ACCEPTED) {
      const address = this.#buffer.toString('latin1', at, at + length);
      return this.#acceptor?.accepted(this.#add(new RawSocket(this, id, 'read', address)));
    }
    const socket = this.#open.get(id);
    if (socket) socket.reported(kind, at, kind === DATA ? this.#copy(at, length) : undefined);
    else if (kind > UNWRITTEN) this.#acceptor?.exhausted();
    else this.#reportTaken(kind, id, at, length);
  }

  #reportTaken(kind: number, id: number, at: number, length: number): void {
    const socket = this.#taken.get(id);
    if (kind === DATA) socket?.push(this.#copy(at, length));
    // An end is read again, and so is the failure of a write.
    else if (kind === FAILED) socket?.destroy(systemError(at, 'read'));
  }

  #copy(at: number, length: number): Buffer {
    return Buffer.from(this.#buffer.subarray(at, at + length));
  }
}

/** Of an owner that waits for nothing. */
export const ignored: RawListener = { data: () => {}, ended: () => {}, failed: () => {}, unwritten: () => {} };

/** A TCP socket that allows half-open connections. It reads nothing until `read`, and what it is not asked to read stays unread. */
export class RawSocket {
  listener = ignored;
  /** The peer has ended its direction. */
  hasEnded = false;
  /** What waits to be written. */
  pendingBytes = 0;
  #isOpen = true;

  constructor(
    private readonly sockets: RawSockets,
    readonly id: number,
    private call: 'connect' | 'read',
    readonly remoteAddress = '',
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  read(mayRead: boolean): void {
    if (this.#isOpen && !(mayRead && this.hasEnded)) this.sockets.native.read(this.id, mayRead);
  }

  /** Its end was read while it was lent. */
  sawEnd(): void {
    this.hasEnded = true;
    this.read(false);
  }

  /** @returns false if the system refuses the rest of the bytes, which are lost then */
  write(bytes: Uint8Array): boolean {
    if (!this.#isOpen) return false;
    const pending = this.sockets.native.write(this.id, bytes);
    if (pending < 0) return false;
    this.pendingBytes = pending;
    return true;
  }

  /** Ends this direction; nothing may be pending. */
  shutdown(): void {
    if (this.#isOpen) this.sockets.native.shutdown(this.id);
  }

  local(): { address: Uint8Array; port: number } | undefined {
    return this.#isOpen ? this.sockets.local(this.id) : undefined;
  }

  /** Stops reading. @returns the descriptor, which stays this socket's */
  lend(): number | undefined {
    return this.#isOpen && this.pendingBytes === 0 ? this.sockets.native.lend(this.id) : undefined;
  }

  close(): void {
    this.#drop(false);
  }

  reset(): void {
    this.#drop(true);
  }

  /** Reports at once what the batch, which is being reported, still has for it. */
  reportData(): void {
    this.sockets.reportData(this.id);
  }

  /** What is pending, which is not written any more. */
  takeHeld(): Buffer | undefined {
    return this.#isOpen ? this.sockets.native.held(this.id) : undefined;
  }

  /** The same connection as a paused socket of Node. A closed one is destroyed. */
  toSocket(): Socket {
    if (!this.#isOpen) return new Socket({ allowHalfOpen: true }).destroy();
    this.#isOpen = false;
    const fd = this.sockets.native.take(this.id);
    const options: SocketConstructorOpts & Undocumented = {
      fd,
      readable: true,
      writable: true,
      allowHalfOpen: true,
      pauseOnCreate: true,
    };
    const socket = new Socket(options);
    this.sockets.taken(this.id, socket);
    return socket;
  }

  /** Called by `RawSockets` alone. */
  reported(kind: number, error: number, chunk: Buffer | undefined): void {
    const { listener } = this;
    if (chunk) return listener.data(chunk);
    if (kind === CONNECTED) {
      this.call = 'read';
      return listener.connected?.();
    }
    if (kind === UNWRITTEN) return listener.unwritten();
    if (kind === DRAINED) {
      this.pendingBytes = 0;
      return listener.drained?.();
    }
    if (kind === ENDED) {
      this.hasEnded = true;
      return listener.ended();
    }
    this.close();
    listener.failed(systemError(error, this.call));
  }

  #drop(isReset: boolean): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.sockets.closed(this.id);
    this.sockets.native.drop(this.id, isReset);
    queueMicrotask(() => this.listener.closed?.());
  }
}

function systemError(number: number, syscall: string): Error {
  const code = getSystemErrorName(-number);
  return Object.assign(new Error(`${syscall} ${code}`), { code, errno: -number, syscall });
}
