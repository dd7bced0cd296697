/**
 * The URL of a source, as operators write it. No key of it is in a log, metric, error, page or request line: `http-transport.ts` names
 * sources by host and quotes them without their keys (`invoices/source-secrets.test.ts`). It may contain secrets in a user and password,
 * the path, the query, and the fragment, whose parts become headers: `https://api.trongrid.io#TRON-PRO-API-KEY=…`. No client sends a
 * fragment, so that a release that does not know this cannot leak it.
 */

import { isPrivateHost } from '@cellhop/contract/network';

/** Interfaces that a node of TRON of one's own serves on other ports than the first. */
const services = ['solidity', 'jsonrpc'] as const;
export type SourceService = (typeof services)[number];

export interface SourceUrl {
  /** Host and port: all that is ever shown of it. */
  name: string;
  /** Without user and fragment. */
  base: URL;
  services: Partial<Record<SourceService, URL>>;
  headers: Readonly<Record<string, string>>;
  /** Texts of the URL that no message may repeat, even if the source does. */
  secrets: readonly string[];
}

/** The message is for the operator and never contains a secret. */
export class InvalidSourceUrl extends Error {
  override readonly name = 'InvalidSourceUrl';
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** The HTTP client sets them; a second value would break requests or smuggle one. */
const ownHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const PORT = /^\d{1,5}$/;
const PORT_MAX = 65_535;
const HTTP = /^https?:$/;
/** Shorter parts of a URL, such as `v1` or `jsonrpc`, are no keys. */
const KEY_LENGTH_MIN = 12;
/** A message would become illegible without shorter texts. */
const SECRET_LENGTH_MIN = 4;

/** @param key that is sent to it besides @throws InvalidSourceUrl */
export function parseSourceUrl(text: string, key?: string): SourceUrl {
  const base = parseUrl(text);
  const headers: Record<string, string> = {};
  const others: SourceUrl['services'] = {};
  const secrets = findKeys(base);
  if (base.username !== '') {
    const credentials = `${decode(base.username)}:${decode(base.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    secrets.push(decode(base.password));
  }
  for (const [name, value] of readFragment(base)) {
    if (isService(name)) {
      others[name] = toServiceUrl(base, name, value);
      continue;
    }
    checkHeader(name, value);
    if (name in headers) throw new InvalidSourceUrl(`has two values of the header ${name}`);
    headers[name] = value;
  }
  secrets.push(...Object.values(headers), ...Object.values(others).flatMap(findKeys));
  if (secrets.length > 0 || key !== undefined)
    for (const url of [base, ...Object.values(others)]) requireConfidential(url);
  for (const url of [base, ...Object.values(others)]) url.username = url.password = url.hash = '';
  return { name: base.host, base, services: others, headers, secrets: secrets.filter(isSecret).toSorted(longestFirst) };
}

function parseUrl(text: string): URL {
  // The message of the parser contains the URL.
  const url = URL.parse(text);
  if (!url || !HTTP.test(url.protocol))
    throw new InvalidSourceUrl('must be http or https addresses, separated by commas');
  // It is the same host with a dot at its end.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/** Bitcoin's nodes have no https: they are reached on this machine, through a private network or a tunnel. */
function requireConfidential({ protocol, hostname }: URL): void {
  if (protocol === 'https:' || isPrivateHost(hostname)) return;
  throw new InvalidSourceUrl(
    `must have https for ${hostname}: http shows its key or password to everybody on the way. A node without https is reached through a tunnel`,
  );
}

function readFragment({ hash }: URL): [name: string, value: string][] {
  if (hash.length <= 1) return [];
  return hash
    .slice(1)
    .split('&')
    .map((part) => {
      const end = part.indexOf('=');
      if (end < 1) throw new InvalidSourceUrl('needs NAME=VALUE after #, with & between several');
      return [decode(part.slice(0, end)).toLowerCase(), decode(part.slice(end + 1))];
    });
}

function checkHeader(name: string, value: string): void {
  if (!TOKEN.test(name)) throw new InvalidSourceUrl('has a name after # that cannot be a header');
  if (ownHeaders.has(name)) throw new InvalidSourceUrl(`must not set the header ${name}`);
  if (!HEADER_VALUE.test(value))
    throw new InvalidSourceUrl(`has a value of ${name} that is empty or cannot be a header`);
}

function isService(name: string): name is SourceService {
  return (services as readonly string[]).includes(name);
}

/** @param value a port of the same host, or a URL */
function toServiceUrl(base: URL, name: SourceService, value: string): URL {
  if (!PORT.test(value)) {
    const url = parseUrl(value);
    if (url.username !== '' || url.hash !== '')
      throw new InvalidSourceUrl(`must have no secrets in the URL of ${name}`);
    return url;
  }
  if (Number(value) < 1 || Number(value) > PORT_MAX)
    throw new InvalidSourceUrl(`has a port of ${name} that does not exist`);
  const url = new URL(base);
  url.port = value;
  return url;
}

function isSecret(text: string): boolean {
  return text.length >= SECRET_LENGTH_MIN;
}

/** One may contain another. */
function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

function findKeys(url: URL): string[] {
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), decode(url.username)];
  return parts.filter((part) => part.length >= KEY_LENGTH_MIN);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidSourceUrl('has a % that is not followed by two hexadecimal digits');
  }
}
