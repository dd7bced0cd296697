import type { Socket } from 'node:net';
import { type TunnelClient, waitingStream } from '../flows/tunnel.ts';
import { resetSocket } from '../pipe/handle.ts';
import type { Side, SideOwner } from '../pipe/pipe.ts';
import { TcpSide } from '../pipe/tcp-side.ts';

export interface TransportListener {
  data(chunk: Buffer): void;
  /** The client has ended or closed its connection. */
  disconnected(): void;
}

/** The connection of a client until it is a side of a pipe. */
export interface ClientTransport {
  readonly remoteAddress: string;
  /** The connection as a socket of Node, which whoever asks for it may use as they like. */
  readonly socket: Socket;
  readonly isDestroyed: boolean;
  /** Call it once, when the connection is accepted. */
  whenClosed(closed: () => void): void;
  /** Reads until `release`. */
  listen(listener: TransportListener): void;
  pause(): void;
  /** Pauses, and reports nothing more. */
  release(): void;
  write(bytes: Uint8Array | string): void;
  /** @param isGoneAtEnd whether a half-close means that nobody waits any more */
  waiting(isGoneAtEnd: boolean): TunnelClient;
  /** Hands the connection over to a pipe, which closes it. */
  toSide(owner: SideOwner): Side;
  destroy(): void;
  reset(): void;
}

/** A socket closes after its error. One function for all: tunnels keep it for as long as they last. */
const nothingMore = () => {};

/** A socket of Node, of TCP or of TLS. */
export class SocketTransport implements ClientTransport {
  #listener: TransportListener | undefined;

  constructor(readonly socket: Socket) {
    // Each later owner adds its own listener; without this one, a reset between two owners would be an unhandled error.
    socket.on('error', nothingMore);
  }

  get remoteAddress(): string {
    return this.socket.remoteAddress ?? '';
  }

  get isDestroyed(): boolean {
    return this.socket.destroyed;
  }

  whenClosed(closed: () => void): void {
    this.socket.once('close', closed);
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    this.socket.on('data', this.#data).on('end', this.#disconnected).on('close', this.#disconnected);
  }

  pause(): void {
    this.socket.pause();
  }

  release(): void {
    this.socket.off('data', this.#data).off('end', this.#disconnected).off('close', this.#disconnected);
    this.socket.pause();
  }

  write(bytes: Uint8Array | string): void {
    this.socket.write(bytes);
  }

  waiting(isGoneAtEnd: boolean): TunnelClient {
    return waitingStream(this.socket, isGoneAtEnd);
  }

  toSide(owner: SideOwner): Side {
    return new TcpSide(this.socket, owner.limits, () => owner.sideClosed?.());
  }

  destroy(): void {
    this.socket.destroy();
  }

  reset(): void {
    resetSocket(this.socket);
  }

  readonly #data = (chunk: Buffer) => this.#listener?.data(chunk);

  readonly #disconnected = () => this.#listener?.disconnected();
}
