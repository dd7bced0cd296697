/**
 * Reads the heads of an origin's responses as tolerantly as browsers do, and rewrites them for a strict parser. Each
 * connection to an origin serves one request and is closed after its response, and the client gets the gateway's own
 * framing: so whatever an origin hides in an odd head, no other request and no other client can receive it.
 */
import { ChunkReader } from './chunk-reader.ts';
import type { Limits } from '../limits.ts';
import { fieldTokens, FRAMING_FIELDS, transferCodings } from './http-fields.ts';

const STATUS_LINE = /^HTTP\/(\d)\.(\d)[ \t]+([1-9]\d{2})(?:[ \t]+(.*))?$/i;
const STATUS_START = 'http/';
/** Browsers ignore spaces before the colon, and lines without a name that is a token. */
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:(.*)$/;
const FOLD = /\n[ \t]+/g;
const LENGTH = /^\d{1,15}$/;
/** Not allowed in values (RFC 9110, section 5.5), so each becomes a space. */
const INVALID_CHARACTER = /[^\t\n\x20-\x7e\x80-\xff]/g;
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const SWITCHING_PROTOCOLS = 101;
const FINAL_STATUS_MIN = 200;

export type ResponseLimits = Pick<Limits, 'responseHeadBytes' | 'responseHeadFields' | 'interimResponses'>;

type Field = readonly [name: string, value: string];

/**
 * Passes on an origin's bytes: heads and the framing of chunks are rewritten, other bodies are unchanged. It keeps at most one
 * incomplete head.
 */
export class ResponseReader {
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  /** The current line has had no byte but CR so far: an LF now ends the head. */
  #isLineEmpty = false;
  /** Set after the last head. */
  #body: Pick<ChunkReader, 'read'> | undefined;
  #interimResponses = 0;

  constructor(private readonly limits: ResponseLimits) {}

  /** @returns the bytes for a strict parser, possibly none yet; after `malformed` nothing more may be read */
  read(chunk: Buffer): Buffer | 'malformed' {
    if (this.#body) return this.#body.read(chunk);
    const rewritten: Buffer[] = [];
    for (let rest = chunk; ;) {
      if (this.#heldBytes === 0) rest = withoutLineEnds(rest);
      const length = this.#headLength(rest);
      const isHead = this.#hold(rest.subarray(0, length));
      if (!isHead) return 'malformed';
      if (length === undefined) return Buffer.concat(rewritten);
      const head = rewriteHead(this.#release().toString('latin1'), this.limits.responseHeadFields);
      if (head === 'malformed') return 'malformed';
      rest = rest.subarray(length);
      if (!head.isLast) this.#interimResponses += 1;
      if (this.#interimResponses <= this.limits.interimResponses || head.isLast)
        rewritten.push(Buffer.from(head.text, 'latin1'));
      if (!head.isLast) continue;
      this.#body = head.isChunked ? new ChunkReader(this.limits.responseHeadBytes) : unchanged;
      const body = this.#body.read(rest);
      return body === 'malformed' ? body : Buffer.concat([...rewritten, body]);
    }
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

const unchanged = { read: (bytes: Buffer) => bytes };

interface Head {
  readonly text: string;
  /** It is not that of an interim response. */
  readonly isLast: boolean;
  readonly isChunked: boolean;
}

function withoutLineEnds(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== CARRIAGE_RETURN && byte !== LINE_FEED);
  return bytes.subarray(start < 0 ? bytes.length : start);
}

/**
 * All steps take linear time, whatever an origin sends.
 * @returns the head as a strict parser accepts it; one without a usable status or length is malformed for browsers, too
 */
function rewriteHead(text: string, fieldsMax: number): Head | 'malformed' {
  const [statusLine = '', ...lines] = text.replaceAll(INVALID_CHARACTER, ' ').replaceAll(FOLD, ' ').split('\n');
  const [, major, minor, digits, reason = ''] = STATUS_LINE.exec(withoutSpaces(statusLine)) ?? [];
  if (digits === undefined) return 'malformed';
  const status = Number(digits);
  const fields = lines.flatMap(readField);
  const framing = status < FINAL_STATUS_MIN ? [] : readFraming(fields);
  if (framing === 'malformed' || fields.length > fieldsMax) return 'malformed';
  const version = major === '0' || (major === '1' && minor === '0') ? '1.0' : '1.1';
  const kept = fields.filter(([name]) => !isFraming(name));
  const fieldLines = [...kept, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    text: `HTTP/${version} ${status} ${reason}\r\n${fieldLines.join('')}\r\n`,
    isLast: status >= FINAL_STATUS_MIN || status === SWITCHING_PROTOCOLS,
    isChunked: transferCodings(framing.flat()).at(-1) === 'chunked',
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
 * What delimits the body (RFC 9112, section 6.3): a coding wins over a length, and equal lengths are one. Different lengths
 * stay malformed, because each reader would find another end.
 */
function readFraming(fields: readonly Field[]): Field[] | 'malformed' {
  const codings = transferCodings(fields.flat());
  if (codings.length > 0) {
    const isChunkedLast = codings.slice(0, -1).every((coding) => coding !== 'chunked');
    return isChunkedLast ? [['Transfer-Encoding', codings.join(', ')]] : 'malformed';
  }
  const lengths = fieldTokens(fields.flat(), 'content-length');
  if (lengths.length === 0) return [];
  const distinct = new Set(lengths.map((length) => (LENGTH.test(length) ? Number(length) : undefined)));
  const [length] = distinct;
  return distinct.size === 1 && length !== undefined ? [['Content-Length', String(length)]] : 'malformed';
}
