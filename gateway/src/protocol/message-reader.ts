import { type FailureCause, TunnelFailure } from '../statuses.ts';

/** The result of an incremental parser. `length` is the number of consumed bytes. */
export type Parsed<Message> =
  | { readonly kind: 'more' }
  | { readonly kind: 'message'; readonly message: Message; readonly length: number }
  | { readonly kind: 'failure'; readonly cause: FailureCause };

type Arrived<Message> = Exclude<Parsed<Message>, { readonly kind: 'failure' }>;

export const needMore = { kind: 'more' } as const;

export const parsedMessage = <Message>(message: Message, length: number): Parsed<Message> => ({
  kind: 'message',
  message,
  length,
});

export const parseFailure = (cause: FailureCause) => ({ kind: 'failure', cause }) as const;

/** Collects the bytes of a handshake until a parser finds a message in them. */
export class MessageReader {
  #bytes: Buffer = Buffer.alloc(0);
  #failure: TunnelFailure | undefined;
  #wake: (() => void) | undefined;

  /** Bytes that no message has consumed. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    this.#wake?.();
  }

  /** No more bytes will come. Messages that have arrived completely can still be read. Only the first failure counts. */
  fail(failure: TunnelFailure): void {
    this.#failure ??= failure;
    this.#wake?.();
  }

  /**
   * Waits for the next message and consumes it.
   * @throws TunnelFailure
   */
  async read<Message>(parse: (bytes: Buffer) => Parsed<Message>): Promise<Message> {
    for (;;) {
      const arrived = this.take(parse);
      if (arrived.kind === 'message') return arrived.message;
      await new Promise<void>((fulfil) => {
        this.#wake = fulfil;
      });
    }
  }

  /**
   * Consumes the next message, if it has arrived.
   * @param bytesMax `head-too-large` if there are more bytes without a message
   * @throws TunnelFailure
   */
  take<Message>(parse: (bytes: Buffer) => Parsed<Message>, bytesMax = Number.POSITIVE_INFINITY): Arrived<Message> {
    const parsed = parse(this.#bytes);
    if (parsed.kind === 'failure') throw new TunnelFailure(parsed.cause);
    if (parsed.kind === 'message') this.#bytes = this.#bytes.subarray(parsed.length);
    else if (this.#failure) throw this.#failure;
    else if (this.#bytes.length > bytesMax) throw new TunnelFailure('head-too-large');
    return parsed;
  }
}
