/**
 * A strict parser of complete HTTP/1.1 messages (RFC 9112), independent of the gateway's parsers. The gateway must never
 * forward a request that it considers malformed.
 */
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;
// More than one space is allowed, because all parsers treat it alike (RFC 9112, section 3).
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) +([\x21-\x7e\x80-\xff]+) +HTTP\/(\d\.\d)$/;
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) ([\t\x20-\x7e\x80-\xff]*)$/;
const CHUNK_LINE = /^([0-9a-fA-F]{1,13})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

export type Field = readonly [name: string, value: string];

interface Framed {
  readonly fields: readonly Field[];
  readonly body: Buffer;
  /** The offset after the last available byte. */
  readonly end: number;
  readonly state: 'complete' | 'incomplete' | 'malformed';
}

export interface RequestMessage extends Framed {
  readonly method: string;
  readonly target: string;
  readonly version: string;
}

export interface ResponseMessage extends Framed {
  readonly status: number;
  /** The body ends with the connection. */
  readonly isUntilEnd: boolean;
}

type Read<Message> = Message | 'incomplete' | 'malformed';

export const fieldValues = (fields: readonly Field[], name: string) =>
  fields.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);

export const fieldTokens = (fields: readonly Field[], name: string) =>
  fieldValues(fields, name).flatMap((value) => value.split(',').map((token) => token.trim().toLowerCase()));

export function readRequest(bytes: Buffer, start: number): Read<RequestMessage> {
  const head = readHead(bytes, start);
  if (typeof head === 'string') return head;
  const [, method, target, version] = REQUEST_LINE.exec(head.line) ?? [];
  if (method === undefined || target === undefined || version === undefined) return 'malformed';
  const framing = readFraming(head.fields, false);
  if (framing === 'malformed' || (framing === 'chunked' && version === '1.0')) return 'malformed';
  const body = readBody(bytes, head.end, framing ?? 0);
  return { method, target, version, fields: head.fields, ...body };
}

export function readResponse(bytes: Buffer, start: number, method: string): Read<ResponseMessage> {
  const head = readHead(bytes, start);
  if (typeof head === 'string') return head;
  const status = Number(STATUS_LINE.exec(head.line)?.[1] ?? 0);
  if (status < 100) return 'malformed';
  const framing = readFraming(head.fields, true);
  if (framing === 'malformed') return 'malformed';
  const { fields, end } = head;
  const isBodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  if (isBodiless) return { status, fields, body: Buffer.alloc(0), end, state: 'complete', isUntilEnd: false };
  if (framing !== undefined) return { status, fields, ...readBody(bytes, end, framing), isUntilEnd: false };
  return { status, fields, body: bytes.subarray(end), end: bytes.length, state: 'complete', isUntilEnd: true };
}

function readHead(bytes: Buffer, start: number): Read<{ line: string; fields: Field[]; end: number }> {
  const end = bytes.indexOf('\r\n\r\n', start);
  if (end < 0) return 'incomplete';
  const [line = '', ...lines] = bytes.toString('latin1', start, end).split('\r\n');
  const fields: Field[] = [];
  for (const each of lines) {
    const [, name, value] = FIELD_LINE.exec(each) ?? [];
    if (name === undefined || value === undefined) return 'malformed';
    fields.push([name, value]);
  }
  return { line, fields, end: end + 4 };
}

/**
 * @param allowsCodings whether the body may have other codings before it was divided into chunks
 * @returns undefined if no field defines the length of the body
 */
function readFraming(fields: readonly Field[], allowsCodings: boolean): number | 'chunked' | 'malformed' | undefined {
  const lengths = fieldValues(fields, 'content-length');
  const codings = fieldValues(fields, 'transfer-encoding');
  if (codings.length > 0) {
    const [coding = '', ...others] = codings;
    const isChunked = allowsCodings ? /(?:^|, )chunked$/i.test(coding) : coding.toLowerCase() === 'chunked';
    return isChunked && others.length === 0 && lengths.length === 0 ? 'chunked' : 'malformed';
  }
  const [length] = lengths;
  if (length === undefined) return undefined;
  return lengths.length === 1 && /^\d{1,15}$/.test(length) ? Number(length) : 'malformed';
}

function readBody(bytes: Buffer, start: number, framing: number | 'chunked'): Pick<Framed, 'body' | 'end' | 'state'> {
  if (framing === 'chunked') return readChunks(bytes, start);
  const body = bytes.subarray(start, start + framing);
  return { body, end: start + body.length, state: body.length === framing ? 'complete' : 'incomplete' };
}

function readChunks(bytes: Buffer, start: number): Pick<Framed, 'body' | 'end' | 'state'> {
  const pieces: Buffer[] = [];
  const result = (end: number, state: Framed['state']) => ({ body: Buffer.concat(pieces), end, state });
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return result(bytes.length, 'incomplete');
    const [, digits] = CHUNK_LINE.exec(bytes.toString('latin1', at, lineEnd)) ?? [];
    if (digits === undefined) return result(at, 'malformed');
    const size = Number.parseInt(digits, 16);
    if (size === 0) return { ...result(0, 'complete'), ...readTrailer(bytes, lineEnd + 2) };
    const end = lineEnd + 2 + size;
    pieces.push(bytes.subarray(lineEnd + 2, end));
    if (bytes.length < end + 2) return result(bytes.length, 'incomplete');
    if (bytes.toString('latin1', end, end + 2) !== '\r\n') return result(end, 'malformed');
    at = end + 2;
  }
}

function readTrailer(bytes: Buffer, start: number): Pick<Framed, 'end' | 'state'> {
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return { end: bytes.length, state: 'incomplete' };
    if (lineEnd === at) return { end: at + 2, state: 'complete' };
    if (!FIELD_LINE.test(bytes.toString('latin1', at, lineEnd))) return { end: at, state: 'malformed' };
    at = lineEnd + 2;
  }
}
