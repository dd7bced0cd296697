import type { Socket } from 'node:net';
import { MessageReader, type Parsed } from '../protocol/message-reader.ts';
import { TunnelFailure } from '../statuses.ts';

/** Exchanges the messages before a tunnel with an upstream proxy. The parsers limit how much is read. */
export class UpstreamHandshake {
  readonly #reader = new MessageReader();
  #isRequested = false;

  constructor(private readonly socket: Socket) {
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd);
    socket.resume();
  }

  /**
   * Sends a message, waits for the reply and consumes it.
   * @throws TunnelFailure
   */
  exchange<Message>(message: Buffer, parse: (bytes: Buffer) => Parsed<Message>): Promise<Message> {
    if (!this.socket.destroyed) this.socket.write(message);
    return this.#reader.read(parse);
  }

  /** Like `exchange`, for the message that names the destination. Later delays count as delays of the destination. */
  request<Message>(message: Buffer, parse: (bytes: Buffer) => Parsed<Message>): Promise<Message> {
    this.#isRequested = true;
    return this.exchange(message, parse);
  }

  timeOut(): void {
    this.#reader.fail(new TunnelFailure(this.#isRequested ? 'dial-timeout' : 'upstream-timeout'));
  }

  /** Pauses the socket, and unshifts bytes of the tunnel that have already arrived: a destination may send first. */
  release(): void {
    const { socket } = this;
    const { bytes } = this.#reader;
    socket.pause();
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
    if (bytes.length > 0 && !socket.destroyed) socket.unshift(bytes);
  }

  readonly #onData = (chunk: Buffer) => this.#reader.add(chunk);

  readonly #onEnd = () => this.#reader.fail(new TunnelFailure('upstream-closed'));
}
