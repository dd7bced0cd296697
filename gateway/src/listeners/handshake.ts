import type { Parsed } from '../protocol/parsed.ts';
import { TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';

export interface HandshakeLimits {
  readonly headBytes: number;
  readonly earlyDataBytes: number;
}

/** Reads the messages of one client's handshake, however their bytes are split. */
export class Handshake {
  #bytes: Buffer = Buffer.alloc(0);
  #failure: TunnelFailure | undefined;
  #changed: (() => void) | undefined;
  #interrupt: ((failure: TunnelFailure) => void) | undefined;

  constructor(
    readonly client: ClientSocket,
    private readonly limits: HandshakeLimits,
  ) {
    const { socket } = client;
    client.whenTooSlow = () => this.#tooSlow();
    socket.on('data', this.#received);
    socket.on('end', this.#gone);
    socket.on('close', this.#gone);
  }

  /**
   * Waits for the next message and takes it from the input.
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
        this.#changed = fulfil;
      });
    }
  }

  /**
   * Waits for work of ours within the handshake's time.
   * @throws TunnelFailure `handshake-slow`, or what the work throws
   */
  during<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((fulfil, reject) => {
      this.#interrupt = reject;
      work.then(fulfil, reject);
    });
  }

  /** Gives the socket back, paused, and returns the bytes that came behind the handshake. */
  release(): Buffer {
    const { socket } = this.client;
    socket.off('data', this.#received);
    socket.off('end', this.#gone);
    socket.off('close', this.#gone);
    socket.pause();
    return this.#bytes;
  }

  readonly #received = (chunk: Buffer) => {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length > this.limits.earlyDataBytes) this.client.socket.pause();
    this.#changed?.();
  };

  readonly #gone = () => this.#fail(new TunnelFailure('client-gone'));

  #tooSlow(): void {
    const failure = new TunnelFailure('handshake-slow');
    this.#fail(failure);
    this.#interrupt?.(failure);
  }

  #fail(failure: TunnelFailure): void {
    this.#failure ??= failure;
    this.#changed?.();
  }
}
