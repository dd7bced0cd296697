import type { Parsed } from '../protocol/parsed.ts';
import { TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';

export interface HandshakeLimits {
  readonly headBytes: number;
  readonly earlyDataBytes: number;
}

/** Reads the messages of a client's handshake from a stream of chunks. */
export class Handshake {
  #bytes: Buffer = Buffer.alloc(0);
  #failure: TunnelFailure | undefined;
  #wake: (() => void) | undefined;
  #interrupt: ((failure: TunnelFailure) => void) | undefined;

  constructor(
    readonly client: ClientSocket,
    private readonly limits: HandshakeLimits,
  ) {
    const { socket } = client;
    client.onHandshakeTimeout = () => this.#timedOut();
    socket.on('data', this.#onData);
    socket.on('end', this.#onDisconnect);
    socket.on('close', this.#onDisconnect);
  }

  /**
   * Waits for the next message and consumes it.
   * @throws TunnelFailure
   */
  async read<Message>(parse: (bytes: Buffer) => Parsed<Message>): Promise<Message> {
    for (;;) {
      const parsed = parse(this.#bytes);
      if (parsed.kind === 'failure') throw new TunnelFailure(parsed.cause);
      if (parsed.kind === 'message') {
        this.#bytes = this.#bytes.subarray(parsed.length);
        return parsed.message;
      }
      if (this.#failure) throw this.#failure;
      if (this.#bytes.length > this.limits.headBytes) throw new TunnelFailure('head-too-large');
      await new Promise<void>((fulfil) => {
        this.#wake = fulfil;
      });
    }
  }

  /**
   * Waits for work of the gateway, at most until the deadline of the handshake.
   * @throws TunnelFailure `handshake-timeout`, or the error of the work
   */
  withinDeadline<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((fulfil, reject) => {
      this.#interrupt = reject;
      work.then(fulfil, reject);
    });
  }

  /** Pauses and releases the socket. @returns the bytes after the handshake */
  release(): Buffer {
    const { socket } = this.client;
    socket.off('data', this.#onData);
    socket.off('end', this.#onDisconnect);
    socket.off('close', this.#onDisconnect);
    socket.pause();
    return this.#bytes;
  }

  readonly #onData = (chunk: Buffer) => {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length > this.limits.earlyDataBytes) this.client.socket.pause();
    this.#wake?.();
  };

  readonly #onDisconnect = () => this.#fail(new TunnelFailure('client-closed'));

  #timedOut(): void {
    const failure = new TunnelFailure('handshake-timeout');
    this.#fail(failure);
    this.#interrupt?.(failure);
  }

  #fail(failure: TunnelFailure): void {
    this.#failure ??= failure;
    this.#wake?.();
  }
}
