/**
 * Reads the heads of an origin's responses as tolerantly as browsers do, and rewrites them for a strict parser. Only this file and
 * `chunk-reader.ts` read what is not strict; clients are read strictly. Each connection to an origin serves one request and is closed after its response, and the client gets the gateway's own
 * framing: so an origin may hide anything in an odd head, but no other request and no other client can receive it.
 */
import { ChunkReader, type ReadPiece } from './chunk-reader.ts';
import type { Limits } from '../limits.ts';
import { fieldTokens, FRAMING_FIELDS, transferCodings } from './http-fields.ts';

/** Browsers need no version, and no space after the status. */
const STATUS_LINE = /^HTTP(\/\d\.\d)?\S*[ \t]+([1-9]\d{2})(?!\d)[ \t]*(.*)$/i;
const STATUS_START = 'http';
/** Browsers ignore spaces before the colon, and lines without a name that is a token. */
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:(.*)$/;
const FOLD = /\n[ \t]+/g;
const LENGTH = /^0*(\d{1,15})$/;
/** Not allowed in values (RFC 9110, section 5.5), so each becomes a space. */
const INVALID_CHARACTER = /[^\t\n\x20-\x7e\x80-\xff]/g;
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const SWITCHING_PROTOCOLS = 101;
const FINAL_STATUS_MIN = 200;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
const NOTHING = Buffer.alloc(0);

export type ResponseLimits = Pick<Limits, 'responseHeadBytes' | 'responseHeadFields' | 'interimResponses'>;

type Field = readonly [name: string, value: string];

interface Body {
  /** After its last byte. */
  readonly isComplete: boolean;
  /** Reads up to its end. */
  read(bytes: Buffer): ReadPiece | 'malformed';
}

/**
 * Reads the response to one request up to its end: heads and the framing of chunks are rewritten, other bodies are unchanged.
 * It keeps at most one incomplete head, and what was read and not yet taken.
 */
export class ResponseReader {
  /** The current head. */
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  /** The current line has had no byte but CR so far: an LF now ends the head. */
  #isLineEmpty = false;
  /** Set after the last head. */
  #body: Body | undefined;
  #interimResponses = 0;
  #untaken: ReadPiece[] = [];

  constructor(
    private readonly limits: ResponseLimits,
    private readonly method: string,
  ) {}

  /** The response has ended: by its length, its last chunk, or at its head. One that ends with the connection never is. */
  get isComplete(): boolean {
    return this.#body?.isComplete ?? false;
  }

  /** @returns how many of the bytes belong to the response; after `malformed` nothing more may be read */
  read(chunk: Buffer): number | 'malformed' {
    let rest = chunk;
    while (rest.length > 0 && !this.isComplete) {
      const piece = this.#body ? this.#body.read(rest) : this.#readHead(rest);
      if (piece === 'malformed') {
        this.#untaken = [];
        return piece;
      }
      this.#untaken.push(piece);
      rest = rest.subarray(piece.rawBytes);
    }
    return chunk.length - rest.length;
  }

  /** @returns the bytes for a strict parser instead of the next `rawBytes` that were read, possibly none yet */
  take(rawBytes: number): Buffer {
    const taken: Buffer[] = [];
    for (let leftBytes = rawBytes; leftBytes > 0;) {
      const piece = this.#untaken.shift();
      if (!piece) break;
      const isWhole = piece.rawBytes <= leftBytes;
      taken.push(isWhole ? piece.bytes : piece.bytes.subarray(0, leftBytes));
      if (!isWhole)
        this.#untaken.unshift({ rawBytes: piece.rawBytes - leftBytes, bytes: piece.bytes.subarray(leftBytes) });
      leftBytes -= piece.rawBytes;
    }
    const [first = NOTHING] = taken;
    return taken.length > 1 ? Buffer.concat(taken) : first;
  }

  #readHead(bytes: Buffer): ReadPiece | 'malformed' {
    const start = this.#heldBytes === 0 ? lineEndBytes(bytes) : 0;
    const length = this.#headLength(bytes.subarray(start));
    const rawBytes = length === undefined ? bytes.length : start + length;
    if (!this.#hold(bytes.subarray(start, rawBytes))) return 'malformed';
    if (length === undefined) return { rawBytes, bytes: NOTHING };
    const head = rewriteHead(this.#release().toString('latin1'), this.limits.responseHeadFields);
    if (head === 'malformed') return head;
    if (head.isLast) this.#body = this.#createBody(head);
    else this.#interimResponses += 1;
    const isKept = head.isLast || this.#interimResponses <= this.limits.interimResponses;
    return { rawBytes, bytes: isKept ? Buffer.from(head.text, 'latin1') : NOTHING };
  }

  /** What ends the response (RFC 9112, section 6.3). */
  #createBody({ status, isChunked, length }: Head): Body {
    if (status === SWITCHING_PROTOCOLS) return new PlainBody(undefined);
    if (this.method === 'HEAD' || status === NO_CONTENT || status === NOT_MODIFIED) return new PlainBody(0);
    return isChunked ? new ChunkReader(this.limits.responseHeadBytes) : new PlainBody(length);
  }

  /** @returns how many of these bytes belong to the current head; undefined if it does not end in them */
  #headLength(bytes: Buffer): number | undefined {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === LINE_FEED && this.#isLineEmpty) return at + 1;
      if (byte === LINE_FEED) this.#isLineEmpty = true;
      else if (byte !== CARRIAGE_RETURN) this.#isLineEmpty = false;
    }
    return undefined;
  }

  /** @returns false if the head is too large, or does not start like one: a server of another protocol may wait for its client */
  #hold(piece: Buffer): boolean {
    const isStart = this.#heldBytes < STATUS_START.length;
    this.#pieces.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.limits.responseHeadBytes) return false;
    return !isStart || STATUS_START.startsWith(this.#start());
  }

  #start(): string {
    return Buffer.concat(this.#pieces).toString('latin1', 0, STATUS_START.length).toLowerCase();
  }

  #release(): Buffer {
    const head = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#heldBytes = 0;
    this.#isLineEmpty = false;
    return head;
  }
}

class PlainBody implements Body {
  /** @param leftBytes undefined: until the end of the connection */
  constructor(private leftBytes = Number.POSITIVE_INFINITY) {}

  get isComplete(): boolean {
    return this.leftBytes === 0;
  }

  read(bytes: Buffer): ReadPiece {
    const taken = bytes.subarray(0, this.leftBytes);
    this.leftBytes -= taken.length;
    return { rawBytes: taken.length, bytes: taken };
  }
}

interface Head {
  readonly text: string;
  readonly status: number;
  /** It is not that of an interim response. */
  readonly isLast: boolean;
  readonly isChunked: boolean;
  readonly length: number | undefined;
}

/** @returns how many bytes at the start are line ends */
function lineEndBytes(bytes: Buffer): number {
  const start = bytes.findIndex((byte) => byte !== CARRIAGE_RETURN && byte !== LINE_FEED);
  return start < 0 ? bytes.length : start;
}

/**
 * All steps take linear time for all input.
 * @returns the head as a strict parser accepts it; one without a usable status or length is malformed for browsers, too
 */
function rewriteHead(text: string, fieldsMax: number): Head | 'malformed' {
  const [statusLine = '', ...lines] = text.replaceAll(INVALID_CHARACTER, ' ').replaceAll(FOLD, ' ').split('\n');
  const [, version, digits, reason = ''] = STATUS_LINE.exec(withoutSpaces(statusLine)) ?? [];
  if (digits === undefined) return 'malformed';
  const status = Number(digits);
  const fields = lines.flatMap(readField);
  const delimiter = status < FINAL_STATUS_MIN ? [] : readFraming(fields);
  if (delimiter === 'malformed' || fields.length > fieldsMax) return 'malformed';
  const framing = status === NO_CONTENT ? [] : delimiter;
  const kept = fields.filter(([name]) => !isFraming(name));
  const fieldLines = [...kept, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    text: `HTTP/${version === undefined || version < '/1.1' ? '1.0' : '1.1'} ${status} ${reason}\r\n${fieldLines.join('')}\r\n`,
    status,
    isLast: status >= FINAL_STATUS_MIN || status === SWITCHING_PROTOCOLS,
    isChunked: transferCodings(framing.flat()).at(-1) === 'chunked',
    length: framing.flatMap(([name, value]) => (name === 'Content-Length' ? [Number(value)] : []))[0],
  };
}

function readField(line: string): Field[] {
  const [, name, value] = FIELD_LINE.exec(line) ?? [];
  return name === undefined || value === undefined ? [] : [[name, withoutSpaces(value)]];
}

/** Unlike `trim`, it keeps bytes of UTF-8 that are spaces in Latin-1. */
function withoutSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

const isSpace = (character: string | undefined) => character === ' ' || character === '\t';

const isFraming = (name: string) => FRAMING_FIELDS.has(name.toLowerCase());

/**
 * What delimits the body, as browsers read it: chunks win over other codings and over lengths, and equal lengths are one. One
 * that is no number is none. Different lengths are malformed, because each reader would find another end.
 */
function readFraming(fields: readonly Field[]): Field[] | 'malformed' {
  const codings = transferCodings(fields.flat());
  const others = codings.filter((coding) => coding !== 'chunked');
  if (codings.length > 0)
    return [['Transfer-Encoding', [...others, ...(others.length < codings.length ? ['chunked'] : [])].join(', ')]];
  const lengths = fieldTokens(fields.flat(), 'content-length').map((value) => LENGTH.exec(value)?.[1] ?? value);
  const [length = ''] = lengths;
  if (lengths.some((other) => other !== length)) return 'malformed';
  return LENGTH.test(length) ? [['Content-Length', length]] : [];
}
