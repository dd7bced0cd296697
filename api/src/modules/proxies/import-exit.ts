/** Parses the exit column of an imported line: an address of the node's host, or another proxy. */
import { canonicalAddress } from '@cellhop/contract/network';
import type { ImportProblem } from '@cellhop/contract/staff/inventory.values';
import type { ExitCredentials, UpstreamAddress } from '../../secrets/exit-credentials.ts';

export const exitKinds = ['local-address', 'socks5', 'http'] as const;
export type ExitKind = (typeof exitKinds)[number];

export interface ImportUpstream extends UpstreamAddress {
  /** `hidden` in an exported file: the credentials of the proxy's current exit. Undefined: no credentials. */
  credentials: ExitCredentials | 'hidden' | undefined;
}

export interface ImportExit {
  /** An address (empty: the host's own route), or the upstream without its credentials. */
  exit: string;
  upstream: ImportUpstream | undefined;
}

/** Replaces credentials in exported files. */
const HIDDEN = '***';
const UPSTREAM =
  /^(socks5|http):\/\/(?:(.*)@)?(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?)):(\d{1,5})\/?$/;
const HOST_LENGTH_MAX = 253;
/** The limit of username and password each (SOCKS5, RFC 1929). */
const CREDENTIAL_BYTES_MAX = 255;
const CONTROL_CHARACTER = /\p{Cc}|\p{Surrogate}/u;

export function parseExit(kind: ExitKind, text: string): ImportExit | ImportProblem {
  if (kind !== 'local-address') return parseUpstream(kind, text) ?? 'NOT_AN_UPSTREAM';
  if (text === '') return { exit: '', upstream: undefined };
  const address = text.includes('%') ? undefined : canonicalAddress(text);
  return address === undefined ? 'NOT_AN_ADDRESS' : { exit: address, upstream: undefined };
}

interface StoredExit {
  exitKind: string;
  exitAddress: string | null;
  upstreamHost: string | null;
  upstreamPort: number | null;
  /** Undefined: not shown. */
  hasCredentials?: boolean | null;
}

/** An exit in a list or in an exported file. @returns null for the host's own route */
export function exitText({ exitKind, exitAddress, upstreamHost, upstreamPort, hasCredentials }: StoredExit) {
  if (upstreamHost === null || upstreamPort === null) return exitAddress;
  const upstream = { host: upstreamHost, port: upstreamPort };
  return upstreamText(exitKind, upstream, { hasCredentials: hasCredentials === true });
}

function upstreamText(
  kind: string,
  { host, port }: UpstreamAddress,
  { hasCredentials = false }: { hasCredentials?: boolean } = {},
): string {
  return `${kind}://${hasCredentials ? `${HIDDEN}@` : ''}${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function parseUpstream(kind: ExitKind, text: string): ImportExit | undefined {
  const [, scheme, login, ipv6, name, digits] = UPSTREAM.exec(text) ?? [];
  const host = ipv6 === undefined ? name?.toLowerCase() : canonicalAddress(ipv6);
  const port = Number(digits);
  if (scheme !== kind || host === undefined || host.length > HOST_LENGTH_MAX || port < 1 || port > 65_535)
    return undefined;
  const credentials = login === undefined || login === HIDDEN ? undefined : parseCredentials(kind, login);
  if (credentials === undefined && login !== undefined && login !== HIDDEN) return undefined;
  const upstream = { host, port, credentials: login === HIDDEN ? ('hidden' as const) : credentials };
  return { exit: upstreamText(kind, upstream), upstream };
}

/** Special characters are percent-encoded, as in URLs. */
function parseCredentials(kind: ExitKind, login: string): ExitCredentials | undefined {
  const colon = login.indexOf(':');
  if (colon === -1) return undefined;
  const [username, password] = [decode(login.slice(0, colon)), decode(login.slice(colon + 1))];
  if (username === undefined || password === undefined) return undefined;
  // Basic authentication ends the username at its first colon (RFC 7617).
  return kind === 'http' && username.includes(':') ? undefined : { username, password };
}

function decode(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    const bytes = Buffer.byteLength(text);
    return bytes >= 1 && bytes <= CREDENTIAL_BYTES_MAX && !CONTROL_CHARACTER.test(text) ? text : undefined;
  } catch {
    // A percent sign that encodes nothing.
    return undefined;
  }
}
