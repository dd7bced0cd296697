import { constants, performServerHandshake, type ServerHttp2Session } from 'node:http2';
import type { Connection } from '../connections/connection.ts';
import { TokenBucket } from '../connections/token-bucket.ts';
import type { ClientSocket } from '../listeners/client-socket.ts';
import type { Limits } from '../limits.ts';
import { Overhead } from './overhead.ts';
import { sessionOptions, widen } from './streams.ts';

/** What the library does not limit. */
export type Flood = 'pings' | 'overhead';

/** A client that speaks HTTP/2 on its connection: as one socket with as many requests at once as it has streams. */
export class Http2Client {
  readonly session: ServerHttp2Session;
  readonly overhead: Overhead;
  #streams = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    readonly client: ClientSocket,
    private readonly limits: Limits,
    /** It was ended for what it sent. */
    private readonly flooded: (kind: Flood) => void,
  ) {
    const { socket } = client;
    this.overhead = new Overhead(socket, limits);
    this.session = performServerHandshake(socket, sessionOptions(limits));
    client.interrupt = () => this.#end();
    this.session.on('error', () => socket.destroy()).on('close', () => this.#closeSoon());
    const pings = new TokenBucket(limits.http2PingsPerSecond, limits.http2PingsBurst);
    this.session.on('ping', () => {
      if (!pings.take()) this.#calm('pings');
    });
    this.session.once('remoteSettings', () => {
      if (!this.session.destroyed) widen(this.session, limits);
    });
    // No stream goes on without the other direction.
    socket.once('end', () => this.session.destroy());
    if (socket.destroyed) this.session.destroy();
  }

  get address(): string {
    return this.client.address;
  }

  get networks(): readonly string[] {
    return this.client.networks;
  }

  get network(): string {
    return this.client.network;
  }

  /** Ends a client that sends too much of what nobody pays. Call it again and again. */
  checkOverhead(): void {
    if (!this.session.destroyed && !this.overhead.isBearable()) this.#calm('overhead');
  }

  #calm(kind: Flood): void {
    if (this.session.destroyed) return;
    this.flooded(kind);
    this.session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    // After GOAWAY the library goes on reading.
    this.#closeSoon();
  }

  streamOpened(): void {
    this.client.receivedData();
    this.overhead.streamOpened();
    this.#streams += 1;
    if (this.#streams === 1) this.client.requestStarted();
  }

  streamClosed(): void {
    this.#streams -= 1;
    this.#waitIfIdle();
  }

  authenticated(connection: Connection): void {
    this.client.authenticated(connection);
    // The last stream may have been closed during the login.
    this.#waitIfIdle();
  }

  /** One login after the other: on one connection nobody tries passwords faster than with requests of HTTP/1.1. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** New streams are refused (GOAWAY), those that are open go on. */
  drain(): void {
    if (!this.session.closed) this.session.close();
  }

  #waitIfIdle(): void {
    if (this.#streams === 0) this.client.awaitRequest(() => this.#end());
  }

  #end(): void {
    this.drain();
    this.#closeSoon();
  }

  /** The library waits for the end of a client that need not come. */
  #closeSoon(): void {
    const { socket } = this.client;
    const timer = setTimeout(() => socket.destroy(), this.limits.lingerMs);
    socket.once('close', () => clearTimeout(timer));
  }
}
