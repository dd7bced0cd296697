import type { Socket } from 'node:net';
import type { Parsed } from '../protocol/parsed.ts';
import { TunnelFailure } from '../statuses.ts';

export interface HandshakeLimits {
  readonly headBytes: number;
  readonly earlyDataBytes: number;
}

/** Reads the messages of one client's handshake, however their bytes are split. */
export class Handshake {
  readonly acceptedAt = performance.now();
  readonly clientAddress: string;
  #bytes: Buffer = Buffer.alloc(0);
  #failure: TunnelFailure | undefined;
  #changed: (() => void) | undefined;

  constructor(
    readonly socket: Socket,
    private readonly limits: HandshakeLimits,
  ) {
    this.clientAddress = socket.remoteAddress ?? '';
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

  fail(failure: TunnelFailure): void {
    this.#failure ??= failure;
    this.#changed?.();
  }

  /** Lets go of the socket, paused, and answers the bytes that came behind the handshake. */
  release(): Buffer {
    this.socket.off('data', this.#received);
    this.socket.off('end', this.#gone);
    this.socket.off('close', this.#gone);
    this.socket.pause();
    return this.#bytes;
  }

  readonly #received = (chunk: Buffer) => {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length > this.limits.earlyDataBytes) this.socket.pause();
    this.#changed?.();
  };

  readonly #gone = () => this.fail(new TunnelFailure('client-gone'));
}

/** Sends a last answer. Unread bytes would turn the close into a reset, which may destroy it: they are discarded. */
export function closeWithAnswer(socket: Socket, answer: string | Uint8Array, lingerMs: number): void {
  if (socket.destroyed) return;
  socket.on('data', () => {});
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.end(answer);
}
