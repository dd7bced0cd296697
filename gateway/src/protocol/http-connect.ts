/** Parses the head of an HTTP CONNECT request (RFC 9110, section 9.3.6), as strictly as Node's parser. */
import { parseAuthority, type Target } from './host.ts';
import { needMore, type Parsed, parsedMessage, parseFailure } from './message-reader.ts';

export interface ConnectHead {
  readonly target: Target;
  readonly proxyAuthorization: string | undefined;
}

export interface HeadBounds {
  readonly headBytes: number;
  readonly headFields: number;
}

const METHOD_LENGTH_MAX = 32;
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
// Field names are tokens; values consist of visible characters, spaces, tabs and bytes above 0x7f (RFC 9110, section 5).
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;
// Names may be UTF-8, as in SOCKS.
const REQUEST_LINE = /^CONNECT ([\x21-\x7e\x80-\xff]+) HTTP\/(\d\.\d)$/;

/** Parses the method as early as possible, without consuming input. */
export function parseMethod(bytes: Buffer): Parsed<string> {
  const space = bytes.subarray(0, METHOD_LENGTH_MAX).indexOf(' ');
  if (space >= 0) return parsedMessage(bytes.toString('latin1', 0, space), 0);
  return bytes.length >= METHOD_LENGTH_MAX ? parseFailure('malformed') : needMore;
}

/** Parses a complete head up to its empty line. */
export function parseConnectHead(bytes: Buffer, { headBytes, headFields }: HeadBounds): Parsed<ConnectHead> {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0 ? bytes.length >= headBytes : end + 4 > headBytes) return parseFailure('head-too-large');
  if (hasBareLineEnd(end < 0 ? bytes : bytes.subarray(0, end + 4))) return parseFailure('malformed');
  if (end < 0) return needMore;
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  if (lines.length > headFields) return parseFailure('head-too-large');
  const [, authority, version] = REQUEST_LINE.exec(requestLine) ?? [];
  if (authority === undefined) return parseFailure('malformed');
  if (version !== '1.1' && version !== '1.0') return parseFailure('http-version');
  const target = parseAuthority(Buffer.from(authority, 'latin1').toString('utf8'));
  const fields = parseFields(lines);
  if (!target || !fields || !areFieldsAcceptable(fields, version)) return parseFailure('malformed');
  return parsedMessage({ target, proxyAuthorization: fields.get('proxy-authorization')?.[0] }, end + 4);
}

/** A folded line starts with a space, which is not a token, so it is rejected as malformed. */
function parseFields(lines: string[]): Map<string, string[]> | undefined {
  const fields = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = FIELD_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const key = name.toLowerCase();
    fields.set(key, [...(fields.get(key) ?? []), value.trim()]);
  }
  return fields;
}

/**
 * A CONNECT request has no content: the bytes after the head belong to the tunnel. A Content-Length or Transfer-Encoding
 * could make two parsers disagree about where the request ends.
 */
function areFieldsAcceptable(fields: Map<string, string[]>, version: string): boolean {
  const hosts = fields.get('host') ?? [];
  if (hosts.length > 1 || (hosts.length === 0 && version === '1.1')) return false;
  if (fields.has('transfer-encoding')) return false;
  if ((fields.get('proxy-authorization')?.length ?? 0) > 1) return false;
  return (fields.get('content-length') ?? ['0']).every((value) => value === '0');
}

/** CR and LF are only valid as a pair (RFC 9112, section 2.2). The LF of a CR at the end of the input may follow. */
function hasBareLineEnd(bytes: Buffer): boolean {
  let before = 0;
  for (const byte of bytes) {
    if ((byte === LINE_FEED) !== (before === CARRIAGE_RETURN)) return true;
    before = byte;
  }
  return false;
}
