/** What an HTTP proxy checks, changes and leaves out of messages that it passes on. Fields are `[name, value, ...]`. */
import type { FailureCause } from '../statuses.ts';
import { authorityText, parseAuthority, type Target } from './host.ts';

const HTTP_PORT = 80;
const ABSOLUTE_TARGET = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)/i;
/** Fields of one hop (RFC 9110, section 7.6.1). Node writes its own framing; `Trailer` goes with the trailers. */
const HOP_FIELDS = new Set(['connection', 'keep-alive', 'te', 'trailer', 'upgrade']);
/** Naming these in `Connection` must not make a body change its length on the way. */
const FRAMING_FIELDS = new Set(['content-length', 'transfer-encoding']);
/** RFC 9112, section 4. Node's parser lets other bytes pass, and its writer throws for them. */
const REASON_PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/;
const FINAL_STATUS_MIN = 200;
/** Methods for which Node sends no body unless the fields announce one. */
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

/** Checks what Node's strict parser lets pass, and takes the absolute target apart. */
export function readRequestHead(head: RequestHead, headFields: number): ForwardedHead | FailureCause {
  const { method, url, httpVersion, rawHeaders } = head;
  if (rawHeaders.length / 2 > headFields) return 'head-too-large';
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'http-version';
  const hosts = valuesOf(rawHeaders, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === '1.1')) return 'malformed';
  const codings = valuesOf(rawHeaders, 'transfer-encoding');
  if (codings.length > 0 && httpVersion === '1.0') return 'malformed';
  if (codings.length > 1 || codings.some((coding) => coding.toLowerCase() !== 'chunked')) return 'transfer-coding';
  const authorizations = valuesOf(rawHeaders, 'proxy-authorization');
  if (authorizations.length > 1) return 'malformed';

  const [, scheme, authority = '', rest = ''] = ABSOLUTE_TARGET.exec(url) ?? [];
  if (scheme?.toLowerCase() === 'https') return 'use-connect';
  if (scheme?.toLowerCase() !== 'http') return 'not-absolute';
  const target = parseAuthority(authority, HTTP_PORT);
  if (!target) return 'malformed';
  return { target, path: originForm(method, rest), proxyAuthorization: authorizations[0] };
}

/** The fields for the origin. `Host` follows the target, whatever the client wrote (RFC 9112, section 3.2.2). */
export function requestFields(head: RequestHead, target: Target, upgrade: string | undefined): string[] {
  const kept = withoutHopFields(head.rawHeaders, (name) => name === 'host');
  const fields = ['Host', authorityText(target, HTTP_PORT), ...kept];
  if (upgrade !== undefined) return [...fields, 'Connection', 'Upgrade', 'Upgrade', upgrade];
  const hasFraming = kept.some((name, index) => index % 2 === 0 && FRAMING_FIELDS.has(name.toLowerCase()));
  if (!hasFraming && !BODILESS_METHODS.has(head.method)) fields.push('Content-Length', '0');
  return fields;
}

/** Whether this may be passed on as the status of an answer; 101 is one only for a client that has asked for it. */
export const isStatusLegal = (status = 0, reason = ''): boolean => status >= FINAL_STATUS_MIN && isReasonLegal(reason);

export function isReasonLegal(reason = ''): boolean {
  return REASON_PHRASE.test(reason);
}

/** The fields for the client; its own hop decides about chunks. */
export const responseFields = (rawHeaders: readonly string[]): string[] =>
  withoutHopFields(rawHeaders, (name) => name === 'transfer-encoding');

export const hasBody = (rawHeaders: readonly string[]): boolean =>
  valuesOf(rawHeaders, 'transfer-encoding').length > 0 ||
  valuesOf(rawHeaders, 'content-length').some((length) => length !== '0');

export function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

function withoutHopFields(rawHeaders: readonly string[], isDropped: (name: string) => boolean): string[] {
  const named = new Set(
    valuesOf(rawHeaders, 'connection').flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())),
  );
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const key = name.toLowerCase();
    const isHop = HOP_FIELDS.has(key) || key.startsWith('proxy-') || (named.has(key) && !FRAMING_FIELDS.has(key));
    if (!isHop && !isDropped(key)) kept.push(name, value);
  }
  return kept;
}

/** An OPTIONS request without a path asks about the server as a whole (RFC 9112, section 3.2.4). */
function originForm(method: string, rest: string): string {
  if (rest === '') return method === 'OPTIONS' ? '*' : '/';
  return rest.startsWith('/') ? rest : `/${rest}`;
}
