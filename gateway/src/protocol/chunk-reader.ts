/** Some servers write sizes with a fixed number of digits. */
const SIZE_LINE = /^0*([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i;
const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);
const LINE_END = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Bytes of an origin, and what a strict parser gets instead of them. */
export interface ReadPiece {
  readonly rawBytes: number;
  readonly bytes: Buffer;
}

/**
 * Reads a chunked body (RFC 9112, section 7.1) as tolerantly as browsers do, and rewrites it for a strict parser: with CR LF,
 * without extensions and trailers.
 */
export class ChunkReader {
  /** The incomplete line of a size or a trailer. */
  #line = '';
  /** What remains of the current chunk. */
  #dataBytes = 0;
  #next: 'size' | 'data' | 'data-end' | 'trailer' | 'nothing' = 'size';

  /** @param lineBytes the longest line of a size or a trailer */
  constructor(private readonly lineBytes: number) {}

  get isComplete(): boolean {
    return this.#next === 'nothing';
  }

  /** Reads up to its end; after `malformed` nothing more may be read. */
  read(bytes: Buffer): ReadPiece | 'malformed' {
    const rewritten: Buffer[] = [];
    let at = 0;
    while (at < bytes.length && this.#next !== 'nothing') {
      if (this.#next === 'data') {
        const data = bytes.subarray(at, at + this.#dataBytes);
        rewritten.push(data);
        at += data.length;
        this.#dataBytes -= data.length;
        if (this.#dataBytes === 0) this.#next = 'data-end';
        continue;
      }
      const lineFeed = bytes.indexOf(LINE_FEED, at);
      this.#line += bytes.toString('latin1', at, lineFeed < 0 ? bytes.length : lineFeed);
      if (this.#line.length > this.lineBytes) return 'malformed';
      at = lineFeed < 0 ? bytes.length : lineFeed + 1;
      if (lineFeed < 0) break;
      const piece = this.#finishLine();
      if (piece === 'malformed') return piece;
      rewritten.push(piece);
    }
    const [first = NOTHING] = rewritten;
    return { rawBytes: at, bytes: rewritten.length > 1 ? Buffer.concat(rewritten) : first };
  }

  #finishLine(): Buffer | 'malformed' {
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    if (this.#next === 'trailer') {
      if (line !== '') return NOTHING;
      this.#next = 'nothing';
      return LAST_CHUNK;
    }
    if (this.#next === 'data-end') {
      this.#next = 'size';
      return line === '' ? LINE_END : 'malformed';
    }
    const [, size] = SIZE_LINE.exec(line) ?? [];
    if (size === undefined) return 'malformed';
    this.#dataBytes = Number.parseInt(size, 16);
    this.#next = this.#dataBytes === 0 ? 'trailer' : 'data';
    return this.#dataBytes === 0 ? NOTHING : Buffer.from(`${this.#dataBytes.toString(16)}\r\n`);
  }
}
