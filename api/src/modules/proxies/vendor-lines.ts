/**
 * The ways in which providers write a proxy: a URL, `host:port`, or `host:port` and `user:password` in either order with a colon or an `@`
 * between them, and perhaps a link for the change of the address behind it. Only in URLs, credentials are percent-encoded.
 */
import { type ExitKind, parseExit, type ParsedExit } from '@cellhop/contract/exits';
import type { ImportProblem, LineOrder } from '@cellhop/contract/staff/inventory.values';

interface Reading {
  /** Undefined if the line has only one meaning. */
  order?: LineOrder;
  kind: ExitKind;
  exit: ParsedExit | ImportProblem;
}

/** Longer than the longest host, credentials and link: no pattern runs over more. */
const LINE_CHARACTERS_MAX = 4096;
const LINK = /(?:[\s,;|[](?:GET|POST)\s+|[\s,;|:[])https?:\/\//i;
const DELIMITERS_AT_END = /[\s,;|:[]{1,8}$/;
const URL_FORM = /^(\w{1,10}):\/\/(.*)$/;
const HOST = String.raw`\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+`;
const PLACE = new RegExp(`^(?:${HOST}):\\d{1,5}$`);
const PLACE_FIRST = new RegExp(`^((?:${HOST}):\\d{1,5}):(.+)$`);
const PLACE_LAST = new RegExp(`^(.+):((?:${HOST}):\\d{1,5})$`);
/** No part of a URL: a line of another table is not a user whose name has commas. */
const LOGIN = /^([^\s,;:"/]+):(\S+)$/;

/** Splits off the link for the change of the address, with its method and what else `parseRotation` reads. */
export function splitLink(text: string): { proxy: string; link?: string } {
  const at = text.length > LINE_CHARACTERS_MAX ? -1 : text.search(LINK);
  if (at <= 0) return { proxy: text };
  const link = text.slice(at + 1).trim();
  const isInBrackets = text[at] === '[' && link.endsWith(']');
  return { proxy: text.slice(0, at).replace(DELIMITERS_AT_END, ''), link: isInBrackets ? link.slice(0, -1) : link };
}

/**
 * @param proxy without a link
 * @param kind of lines that do not name it
 * @returns each meaning that the line can have; none: it is no proxy
 */
export function readVendorLine(proxy: string, kind: 'socks5' | 'http'): Reading[] {
  if (proxy.length > LINE_CHARACTERS_MAX) return [];
  const [, scheme, rest = proxy] = URL_FORM.exec(proxy) ?? [];
  const named = scheme === undefined ? kind : kindOf(scheme);
  if (named === undefined) return [];
  const exit = parseExit(named, `${named}://${rest}`);
  const isUrl = scheme !== undefined || PLACE.test(rest);
  if (isUrl && exit !== 'NOT_AN_UPSTREAM') return [{ kind: named, exit }];
  return partings(rest).flatMap(({ order, place, login, isOfUrl = false }) => {
    // A URL is read as such or not at all: a percent sign in it is no part of a password.
    const read = isOfUrl && scheme !== undefined ? undefined : join(named, place, login);
    return read === undefined ? [] : [{ order, kind: named, exit: read }];
  });
}

function kindOf(scheme: string): 'socks5' | 'http' | undefined {
  const name = scheme.toLowerCase();
  if (name === 'http') return 'http';
  return name === 'socks5' || name === 'socks5h' ? 'socks5' : undefined;
}

interface Parting {
  order: LineOrder;
  place: string | undefined;
  login: string | undefined;
  isOfUrl?: boolean;
}

/** A password may contain the separator, a host may not. */
function partings(text: string): Parting[] {
  const first = text.indexOf('@');
  const last = text.lastIndexOf('@');
  const [, place, login] = PLACE_FIRST.exec(text) ?? [];
  const [, otherLogin, otherPlace] = PLACE_LAST.exec(text) ?? [];
  return [
    ...(first === -1
      ? []
      : [
          { order: 'host-first' as const, place: text.slice(0, first), login: text.slice(first + 1) },
          { order: 'login-first' as const, place: text.slice(last + 1), login: text.slice(0, last), isOfUrl: true },
        ]),
    { order: 'host-first', place, login },
    { order: 'login-first', place: otherPlace, login: otherLogin },
  ];
}

/** @returns undefined if these are no host and no login */
function join(kind: ExitKind, place = '', login = ''): Reading['exit'] | undefined {
  const [, user, password] = LOGIN.exec(login) ?? [];
  if (user === undefined || password === undefined || !PLACE.test(place)) return undefined;
  // Unpaired surrogates, which have no encoding.
  if (!login.isWellFormed()) return undefined;
  const exit = parseExit(kind, `${kind}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${place}`);
  return exit === 'NOT_AN_UPSTREAM' ? undefined : exit;
}
