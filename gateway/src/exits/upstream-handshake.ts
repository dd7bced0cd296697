import type { Socket } from 'node:net';
import type { Parsed } from '../protocol/parsed.ts';
import { TunnelFailure } from '../statuses.ts';

/** Exchanges the messages before a tunnel with an upstream proxy. The parsers limit how much is read. */
export class UpstreamHandshake {
  #bytes: Buffer = Buffer.alloc(0);
  #failure: TunnelFailure | undefined;
  #wake: (() => void) | undefined;
  #isRequested = false;

  constructor(private readonly socket: Socket) {
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd);
    socket.resume();
  }

  /**
   * Sends a message, waits for the reply and consumes it.
   * @throws TunnelFailure
   */
  async exchange<Message>(message: Buffer, parse: (bytes: Buffer) => Parsed<Message>): Promise<Message> {
    if (!this.socket.destroyed) this.socket.write(message);
    for (;;) {
      const parsed = parse(this.#bytes);
      if (parsed.kind === 'failure') throw new TunnelFailure(parsed.cause);
      if (parsed.kind === 'message') {
        this.#bytes = this.#bytes.subarray(parsed.length);
        return parsed.message;
      }
      if (this.#failure) throw this.#failure;
      await new Promise<void>((fulfil) => {
        this.#wake = fulfil;
      });
    }
  }

  /** Like `exchange`, for the message that names the destination. Later delays count as delays of the destination. */
  request<Message>(message: Buffer, parse: (bytes: Buffer) => Parsed<Message>): Promise<Message> {
    this.#isRequested = true;
    return this.exchange(message, parse);
  }

  timeOut(): void {
    this.#fail(new TunnelFailure(this.#isRequested ? 'dial-timeout' : 'upstream-timeout'));
  }

  /** Pauses the socket, and unshifts bytes of the tunnel that have already arrived: a destination may send first. */
  release(): void {
    const { socket } = this;
    socket.pause();
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
    if (this.#bytes.length > 0 && !socket.destroyed) socket.unshift(this.#bytes);
  }

  readonly #onData = (chunk: Buffer) => {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    this.#wake?.();
  };

  readonly #onEnd = () => this.#fail(new TunnelFailure('upstream-closed'));

  #fail(failure: TunnelFailure): void {
    this.#failure ??= failure;
    this.#wake?.();
  }
}
