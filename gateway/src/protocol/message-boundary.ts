/** Finds the end of an HTTP/1.1 message in a stream of bytes, so that a client's requests can be read one at a time. */

export interface MessageBoundary {
  /** True after the last byte. */
  readonly isComplete: boolean;
  /** @returns how many of the next bytes belong to the message */
  take(bytes: Buffer): number;
}

const HEAD_END = '\r\n\r\n';
const LINE_FEED = 10;
const CHUNK_SIZE = /^([0-9a-f]{1,13})[ \t]*(?:;.*)?\r\n$/i;
/** A longer line is not a valid chunk size or trailer field; the HTTP parser rejects it. */
const LINE_BYTES_MAX = 16 * 1024;

const HTTP2_METHOD = 'PRI ';

/**
 * Ends after the first empty line. The HTTP parser rejects line ends other than CR LF, and it reads the preface of HTTP/2,
 * which has an empty line inside, to its end before it rejects it.
 */
export class HeadBoundary implements MessageBoundary {
  isComplete = false;
  #method = '';
  /** The last bytes of the previous read, because the end may be split between two reads. */
  #tail = '';

  take(bytes: Buffer): number {
    const text = this.#tail + bytes.toString('latin1');
    this.#method = (this.#method + bytes.toString('latin1', 0, HTTP2_METHOD.length)).slice(0, HTTP2_METHOD.length);
    const at = text.indexOf(HEAD_END);
    if (at < 0 || this.#method === HTTP2_METHOD) {
      this.#tail = text.slice(1 - HEAD_END.length);
      return bytes.length;
    }
    this.isComplete = true;
    return at + HEAD_END.length - this.#tail.length;
  }
}

export class LengthBoundary implements MessageBoundary {
  constructor(private leftBytes: number) {}

  get isComplete(): boolean {
    return this.leftBytes === 0;
  }

  take(bytes: Buffer): number {
    const taken = Math.min(bytes.length, this.leftBytes);
    this.leftBytes -= taken;
    return taken;
  }
}

/** Chunked coding (RFC 9112, section 7.1). A malformed body never ends here; the HTTP parser rejects it. */
export class ChunkedBoundary implements MessageBoundary {
  isComplete = false;
  #line = '';
  /** Remaining bytes of the current chunk, including its line end. */
  #dataBytes = 0;
  #isInTrailer = false;
  #isMalformed = false;

  take(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && !this.isComplete && !this.#isMalformed) {
      const dataBytes = Math.min(this.#dataBytes, bytes.length - at);
      this.#dataBytes -= dataBytes;
      at += dataBytes;
      if (this.#dataBytes === 0 && at < bytes.length) at = this.#takeLine(bytes, at);
    }
    return this.#isMalformed ? bytes.length : at;
  }

  #takeLine(bytes: Buffer, start: number): number {
    const lineFeed = bytes.indexOf(LINE_FEED, start);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    this.#line += bytes.toString('latin1', start, end);
    if (this.#line.length > LINE_BYTES_MAX) this.#isMalformed = true;
    if (lineFeed >= 0) this.#finishLine();
    return end;
  }

  #finishLine(): void {
    const line = this.#line;
    this.#line = '';
    if (this.#isInTrailer) {
      this.isComplete = line === '\r\n';
      return;
    }
    const [, size] = CHUNK_SIZE.exec(line) ?? [];
    if (size === undefined) this.#isMalformed = true;
    else if (Number.parseInt(size, 16) === 0) this.#isInTrailer = true;
    else this.#dataBytes = Number.parseInt(size, 16) + '\r\n'.length;
  }
}
