import { MessageReader, type Parsed } from '../protocol/message-reader.ts';
import { type FailureCause, TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';

interface HandshakeLimits {
  readonly headBytes: number;
  readonly earlyDataBytes: number;
}

/** Reads the messages of a client's handshake from a stream of chunks. */
export class Handshake {
  readonly #reader = new MessageReader();
  #interrupt: ((failure: TunnelFailure) => void) | undefined;
  /** The reply to a client that is refused now, in its protocol; set at each stage. Empty until the protocol is known. */
  encodeRefusal: (cause: FailureCause) => string | Uint8Array = () => '';

  constructor(
    readonly client: ClientSocket,
    private readonly limits: HandshakeLimits,
  ) {
    const { socket } = client;
    client.interrupt = (cause) => this.#end(new TunnelFailure(cause));
    socket.on('data', this.#onData).on('end', this.#onDisconnect).on('close', this.#onDisconnect);
  }

  /**
   * Waits for the next message and consumes it.
   * @throws TunnelFailure
   */
  read<Message>(parse: (bytes: Buffer) => Parsed<Message>): Promise<Message> {
    return this.#reader.read(parse, this.limits.headBytes);
  }

  /**
   * Waits for work of the gateway, at most until the deadline of the handshake.
   * @throws TunnelFailure `handshake-timeout`, `draining`, or the error of the work
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
    socket.off('data', this.#onData).off('end', this.#onDisconnect).off('close', this.#onDisconnect);
    socket.pause();
    return this.#reader.bytes;
  }

  readonly #onData = (chunk: Buffer) => {
    this.client.receivedData();
    this.#reader.add(chunk);
    if (this.#reader.bytes.length > this.limits.earlyDataBytes) this.client.socket.pause();
  };

  readonly #onDisconnect = () => this.#reader.fail(new TunnelFailure('client-closed'));

  #end(failure: TunnelFailure): void {
    this.#reader.fail(failure);
    this.#interrupt?.(failure);
  }
}
