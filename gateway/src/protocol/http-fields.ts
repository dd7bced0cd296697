/** Checks and rewrites the heads of messages that an HTTP proxy forwards. Fields are `[name, value, ...]`. */
import type { FailureCause } from '../statuses.ts';
import { authorityText, parseAuthority, type Target } from './host.ts';
import type { Credentials } from './socks5.ts';

const HTTP_PORT = 80;
const CREDENTIAL_BYTES_MAX = 255;
const ABSOLUTE_TARGET = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)/i;
/** The web server of a `ws` address is that of the same `http` address. */
const PLAIN_SCHEMES = new Set(['http', 'ws']);
const ENCRYPTED_SCHEMES = new Set(['https', 'wss']);
/** Hop-by-hop fields (RFC 9110, section 7.6.1). Node writes its own framing; trailers are not forwarded. */
const HOP_FIELDS = new Set(['connection', 'keep-alive', 'te', 'trailer', 'upgrade']);
/** Kept even if `Connection` names them: without them the body would change its length. */
export const FRAMING_FIELDS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);
/** Protocols that clients offer without needing them (RFC 7540, section 3.2; RFC 2817, section 3.1). */
const OFFERED_PROTOCOL = /^(?:h2c|http\/.*|tls\/.*)$/i;
/** Methods for which Node sends no body without Content-Length or Transfer-Encoding. */
const BODILESS_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
}

export interface ForwardedHead {
  readonly target: Target;
  readonly path: string;
  readonly proxyAuthorization: string | undefined;
}

/** Does the checks that Node's strict parser omits, and parses the absolute target. */
export function readRequestHead(head: RequestHead, headFields: number): ForwardedHead | FailureCause {
  const { method, url, httpVersion, rawHeaders } = head;
  if (rawHeaders.length / 2 > headFields) return 'head-too-large';
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'http-version';
  const hosts = fieldValues(rawHeaders, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === '1.1')) return 'malformed';
  const codings = fieldValues(rawHeaders, 'transfer-encoding');
  if (codings.length > 0 && httpVersion === '1.0') return 'malformed';
  if (codings.length > 1 || codings.some((coding) => coding.toLowerCase() !== 'chunked')) return 'transfer-coding';
  const authorizations = fieldValues(rawHeaders, 'proxy-authorization');
  if (authorizations.length > 1) return 'malformed';

  const [, scheme, authority = '', rest = ''] = ABSOLUTE_TARGET.exec(url) ?? [];
  if (scheme !== undefined && ENCRYPTED_SCHEMES.has(scheme.toLowerCase())) return 'connect-required';
  if (scheme === undefined || !PLAIN_SCHEMES.has(scheme.toLowerCase())) return 'not-absolute';
  const target = parseAuthority(decodeName(authority), HTTP_PORT);
  if (!target) return 'malformed';
  return { target, path: originForm(method, rest), proxyAuthorization: authorizations[0] };
}

/** `encodeRequestLine` has encoded names in UTF-8. ASCII stays encoded, and is refused. */
function decodeName(authority: string): string {
  try {
    return authority.replace(/(?:%[89a-f][0-9a-f])+/gi, (encoded) => decodeURIComponent(encoded));
  } catch {
    return authority; // It is not UTF-8.
  }
}

/** Node's parser refuses bytes above ASCII in a request line, which programs ought to encode (RFC 3986). @param line in Latin-1 */
export const encodeRequestLine = (line: string): string =>
  line.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** The fields for the origin. `Host` is derived from the target, not from the client's field (RFC 9112, section 3.2.2). */
export function requestFields(head: RequestHead, target: Target, upgrade: string | undefined): string[] {
  const kept = withoutHopFields(head.rawHeaders, (name) => name === 'host' || name.startsWith('proxy-'));
  const fields = ['Host', authorityText(target, HTTP_PORT), ...kept];
  if (upgrade !== undefined) return [...fields, 'Connection', 'Upgrade', 'Upgrade', upgrade];
  const hasFraming = kept.some((name, index) => index % 2 === 0 && FRAMING_FIELDS.has(name.toLowerCase()));
  if (!hasFraming && !BODILESS_METHODS.has(head.method)) fields.push('Content-Length', '0');
  return fields;
}

/** The fields for the client; chunking is decided separately for its hop. `Proxy-Status` is for the client (RFC 9209). */
export const responseFields = (rawHeaders: readonly string[]): string[] =>
  withoutHopFields(
    rawHeaders,
    (name) => name === 'transfer-encoding' || (name.startsWith('proxy-') && name !== 'proxy-status'),
  );

/** The head of a 101. */
export function upgradedHead({
  rawHeaders,
  statusMessage,
}: {
  readonly rawHeaders: readonly string[];
  readonly statusMessage?: string | undefined;
}): string {
  const fields = [...responseFields(rawHeaders), 'Connection', 'Upgrade'];
  fields.push('Upgrade', fieldValues(rawHeaders, 'upgrade').join(', '));
  return encodeHead(101, statusMessage, fields);
}

/** @param fields pairs of name and value */
export function encodeHead(status: number, reason = '', fields: readonly string[]): string {
  const lines = fields.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${fields[index + 1]}\r\n`] : []));
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`;
}

/**
 * Whether a request must be forwarded as an upgrade. One with a body, or that only offers to continue with HTTP/2 or TLS, is
 * served without it: any server may ignore the offer (RFC 9110, section 7.8), and the client's connection stays persistent.
 */
export const isUpgradeRequired = (rawHeaders: readonly string[]): boolean =>
  !hasBody(rawHeaders) &&
  fieldTokens(rawHeaders, 'upgrade').some((protocol) => protocol !== '' && !OFFERED_PROTOCOL.test(protocol));

/** The codings of a body in the order of their application, in lower case; `identity` is none. */
export const transferCodings = (rawHeaders: readonly string[]): string[] =>
  fieldTokens(rawHeaders, 'transfer-encoding')
    .map((coding) => coding.toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');

export const hasBody = (rawHeaders: readonly string[]): boolean =>
  fieldValues(rawHeaders, 'transfer-encoding').length > 0 ||
  fieldValues(rawHeaders, 'content-length').some((length) => length !== '0');

export function fieldValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** The elements of a field that is a list. An empty field is one empty element, so that an empty length is not taken for none. */
export const fieldTokens = (rawHeaders: readonly string[], name: string): string[] =>
  fieldValues(rawHeaders, name).flatMap((value) => value.split(',').map((token) => token.trim()));

function withoutHopFields(rawHeaders: readonly string[], isDropped: (name: string) => boolean): string[] {
  const named = new Set(fieldTokens(rawHeaders, 'connection').map((name) => name.toLowerCase()));
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const key = name.toLowerCase();
    const isHop = HOP_FIELDS.has(key) || (named.has(key) && !FRAMING_FIELDS.has(key));
    if (!isHop && !isDropped(key)) kept.push(name, value);
  }
  return kept;
}

/** An OPTIONS request without a path refers to the server as a whole (RFC 9112, section 3.2.4). */
function originForm(method: string, rest: string): string {
  if (rest === '') return method === 'OPTIONS' ? '*' : '/';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Parses `Basic base64(user:password)`: split at the first colon, UTF-8 (RFC 7617). Both parts may be empty. */
export function parseBasicCredentials(field: string | undefined): Credentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(field ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  const credentials = { username: text.slice(0, colon), password: text.slice(colon + 1) };
  const isShort = Object.values(credentials).every((part) => part.length <= CREDENTIAL_BYTES_MAX);
  return isShort ? credentials : undefined;
}
