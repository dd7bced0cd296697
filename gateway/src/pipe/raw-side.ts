import type { Socket } from 'node:net';
import type { Borrower, DirectReads, RawReader, RawReads, Side, SideListener, SideOwner } from './pipe.ts';
import type { RawListener, RawSocket } from './raw-sockets.ts';
import { TcpSide } from './tcp-side.ts';

const NOTHING = Buffer.alloc(0);

/**
 * A socket of native code as a side of a pipe. It does what most tunnels need; for failed writes, the delivery of last bytes and whatever
 * else needs a socket of Node, it becomes a `TcpSide` and stays one.
 */
export class RawSide implements Side, RawReads, RawListener {
  readonly #raw: RawSocket;
  readonly #owner: SideOwner;
  #unread: Buffer | undefined;
  #listener: SideListener | undefined;
  #onDrained: (() => void) | undefined;
  /** Set while the relay uses the descriptor. */
  #borrower: Borrower | undefined;
  #tcp: { readonly side: TcpSide; readonly socket: Socket } | undefined;
  #isReading = false;
  #isShut = false;
  #hasToldEnd = false;
  reader: RawReader | undefined;

  /** @param unread was read before */
  constructor(raw: RawSocket, owner: SideOwner, unread?: Buffer) {
    this.#raw = raw;
    this.#owner = owner;
    this.#unread = unread;
    raw.listener = this;
  }

  get raw(): RawReads | undefined {
    return this.#tcp ? undefined : this;
  }

  get direct(): DirectReads | undefined {
    return this.#toTcp().side.direct;
  }

  /** The connection as a socket of Node. */
  get socket(): Socket {
    return this.#toTcp().socket;
  }

  get isReady(): boolean {
    const { isOpen, hasEnded, pendingBytes } = this.#raw;
    return isOpen && !hasEnded && pendingBytes === 0;
  }

  takeUnread(): Buffer {
    const unread = this.#unread;
    this.#unread = undefined;
    return unread ?? NOTHING;
  }

  lend(borrower: Borrower): number | undefined {
    const descriptor = this.#raw.lend();
    if (descriptor === undefined) return undefined;
    this.#borrower = borrower;
    this.#isReading = false;
    return descriptor;
  }

  returned(): void {
    this.#borrower = undefined;
  }

  /** The relay has consumed this error of the socket. */
  fail(): void {
    if (this.#tcp || !this.#raw.isOpen) return;
    queueMicrotask(() => this.failed());
    this.#raw.close();
  }

  sawEnd(): void {
    if (this.#tcp || !this.#raw.isOpen) return;
    this.#raw.sawEnd();
    this.ended();
  }

  #takeBack(): void {
    this.#borrower?.giveBack();
    if (this.#borrower !== undefined) throw new Error('A descriptor is still lent');
  }

  open(listener: SideListener): void {
    this.#listener = listener;
    if (this.#tcp) return this.#tcp.side.open(listener);
    if (!this.#raw.isOpen) return queueMicrotask(() => this.#lost(listener));
    if (this.#raw.hasEnded) queueMicrotask(() => this.ended());
  }

  /** It was closed before it was opened. */
  #lost(listener: SideListener): void {
    listener.failed();
    this.closed();
  }

  write(chunk: Buffer, onDrained: () => void): boolean {
    this.#takeBack();
    if (this.#tcp) return this.#tcp.side.write(chunk, onDrained);
    if (!this.#raw.isOpen) return true;
    // Whoever reads what is left after a failure is the other class, in which the same write fails again.
    if (!this.#raw.write(chunk)) return this.#toTcp().side.write(chunk, onDrained);
    if (this.#raw.pendingBytes === 0) return true;
    this.#onDrained = onDrained;
    return false;
  }

  get pendingBytes(): number {
    return this.#tcp ? this.#tcp.side.pendingBytes : this.#raw.pendingBytes;
  }

  /** If the other direction has ended, a close equals a half-close but costs half as much. */
  end(): void {
    this.#takeBack();
    if (this.#tcp) return this.#tcp.side.end();
    if (this.#raw.pendingBytes > 0) return this.#toTcp().side.end();
    if (this.#hasToldEnd) return this.#raw.close();
    this.#isShut = true;
    this.#raw.shutdown();
  }

  reset(): void {
    this.#takeBack();
    if (this.#tcp) this.#tcp.side.reset();
    else this.#raw.reset();
  }

  resetAfterDelivery(): void {
    this.#takeBack();
    this.#toTcp().side.resetAfterDelivery();
  }

  close(): void {
    this.#takeBack();
    if (this.#tcp) this.#tcp.side.close();
    else this.#raw.close();
  }

  resume(): void {
    this.#takeBack();
    if (this.#tcp) return this.#tcp.side.resume();
    this.#isReading = true;
    this.#raw.read(true);
  }

  data(chunk: Buffer): void {
    if (!this.#listener) this.#unread = Buffer.concat([this.takeUnread(), chunk]);
    else if (!this.#listener.data(chunk)) this.#pause();
    else this.reader?.chunkRead();
  }

  ended(): void {
    if (this.#tcp || this.#hasToldEnd) return;
    this.#hasToldEnd = true;
    if (this.#owner.isCut?.() === true) {
      this.failed();
      return this.reset();
    }
    this.#listener?.ended();
    if (this.#isShut) this.close();
  }

  failed(): void {
    this.#listener?.failed();
  }

  drained(): void {
    const onDrained = this.#onDrained;
    this.#onDrained = undefined;
    onDrained?.();
  }

  /** What was held is written again by the other class, where it fails again. */
  unwritten(): void {
    this.#toTcp();
  }

  #toTcp(): { readonly side: TcpSide; readonly socket: Socket } {
    if (this.#tcp) return this.#tcp;
    this.#takeBack();
    this.#raw.reportData();
    // What has come may have needed it, too.
    if (this.#tcp) return this.#tcp;
    const held = this.#raw.takeHeld();
    const { hasEnded } = this.#raw;
    const socket = this.#raw.toSocket();
    socket.on('error', () => socket.destroy());
    const unread = this.takeUnread();
    if (unread.length > 0 && !socket.destroyed) socket.unshift(unread);
    const owner = this.#owner;
    const side = new TcpSide(
      socket,
      owner.limits,
      () => owner.sideClosed?.(),
      () => owner.isCut?.() === true,
    );
    this.#tcp = { side, socket };
    if (this.#listener) side.open(this.#withOneEnd(this.#listener));
    if (held && side.write(held, () => this.drained())) process.nextTick(() => this.#written(side));
    if (this.#isShut) socket.end();
    // It has to read the end itself.
    if (this.#listener && (this.#isReading || hasEnded)) side.resume();
    return this.#tcp;
  }

  /** If the write has failed, that was reported before, and something pends for ever. */
  #written({ pendingBytes }: TcpSide): void {
    if (pendingBytes === 0) this.drained();
  }

  #withOneEnd(listener: SideListener): SideListener {
    return {
      data: (chunk) => listener.data(chunk),
      ended: () => {
        if (!this.#hasToldEnd) listener.ended();
        this.#hasToldEnd = true;
      },
      failed: (restBytes) => listener.failed(restBytes),
      closed: () => listener.closed(),
    };
  }

  #pause(): void {
    if (this.#tcp) return;
    this.#isReading = false;
    this.#raw.read(false);
  }

  closed(): void {
    this.#owner.sideClosed?.();
    this.#listener?.closed();
  }
}
