import type { Socket } from 'node:net';
import type { TunnelClient } from '../flows/tunnel.ts';
import type { Side, SideOwner } from '../pipe/pipe.ts';
import { RawSide } from '../pipe/raw-side.ts';
import type { RawListener, RawSocket } from '../pipe/raw-sockets.ts';
import { type ClientTransport, SocketTransport, type TransportListener } from './client-transport.ts';

/** The most that is read while a destination is dialled, as much as a socket of Node reads. */
const UNREAD_MAX = 64 * 1024;

/** A client of native code. It becomes a socket of Node as soon as somebody asks for one. */
export class RawTransport implements ClientTransport, RawListener {
  readonly remoteAddress: string;
  #node: SocketTransport | undefined;
  #listener: TransportListener | undefined;
  #closed: () => void = () => {};
  /** Read while nobody listened. */
  #unread: Buffer[] | undefined;
  #unreadBytes = 0;
  #isPaused = false;
  #gone: { readonly callback: () => void; readonly atEnd: boolean } | undefined;

  constructor(private readonly raw: RawSocket) {
    this.remoteAddress = raw.remoteAddress;
    raw.listener = this;
  }

  get socket(): Socket {
    return this.#toNode().socket;
  }

  get isDestroyed(): boolean {
    return this.#node ? this.#node.isDestroyed : !this.raw.isOpen;
  }

  whenClosed(closed: () => void): void {
    this.#closed = closed;
  }

  listen(listener: TransportListener): void {
    if (this.#node) return this.#node.listen(listener);
    this.#listener = listener;
    this.raw.read(true);
  }

  pause(): void {
    this.#isPaused = true;
    if (this.#node) this.#node.pause();
    else this.raw.read(false);
  }

  /** It goes on reading, because a client that leaves shows it in no other way. */
  release(): void {
    if (this.#node) return this.#node.release();
    this.#listener = undefined;
  }

  write(bytes: Uint8Array | string): void {
    if (this.#node) return this.#node.write(bytes);
    if (!this.raw.isOpen) return;
    if (!this.raw.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)) this.raw.close();
  }

  waiting(isGoneAtEnd: boolean): TunnelClient {
    if (this.#node) return this.#node.waiting(isGoneAtEnd);
    return {
      isGone: () => this.isDestroyed || (isGoneAtEnd && this.raw.hasEnded && this.#unreadBytes === 0),
      whenGone: (callback) => {
        this.#gone = { callback, atEnd: isGoneAtEnd };
        return () => {
          this.#gone = undefined;
        };
      },
    };
  }

  toSide(owner: SideOwner): Side {
    if (this.#node) return this.#node.toSide(owner);
    return new RawSide(this.raw, owner, this.#takeUnread());
  }

  destroy(): void {
    if (this.#node) this.#node.destroy();
    else this.raw.close();
  }

  reset(): void {
    if (this.#node) this.#node.reset();
    else this.raw.reset();
  }

  data(chunk: Buffer): void {
    if (this.#listener) return this.#listener.data(chunk);
    (this.#unread ??= []).push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes >= UNREAD_MAX) this.pause();
  }

  ended(): void {
    this.#listener?.disconnected();
    if (this.#gone?.atEnd === true && this.#unreadBytes === 0) this.#gone.callback();
  }

  /** What follows is told when it is closed. */
  failed(): void {}

  unwritten(): void {
    this.raw.close();
  }

  closed(): void {
    this.#listener?.disconnected();
    this.#gone?.callback();
    this.#closed();
  }

  #takeUnread(): Buffer | undefined {
    const unread = this.#unread && Buffer.concat(this.#unread);
    this.#unread = undefined;
    this.#unreadBytes = 0;
    return unread;
  }

  #toNode(): SocketTransport {
    if (this.#node) return this.#node;
    const held = this.raw.takeHeld();
    const socket = this.raw.toSocket();
    this.#node = new SocketTransport(socket);
    this.#node.whenClosed(this.#closed);
    const unread = this.#takeUnread();
    if (unread && !socket.destroyed) socket.unshift(unread);
    if (held) socket.write(held);
    if (this.#gone) {
      const { callback, atEnd } = this.#gone;
      this.#node.waiting(atEnd).whenGone(callback);
    }
    if (this.#listener) {
      this.#node.listen(this.#listener);
      if (!this.#isPaused) socket.resume();
    }
    return this.#node;
  }
}
