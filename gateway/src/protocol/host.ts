/** Parses hosts into a canonical form, before they are checked or dialled. */

export type Host =
  | { readonly kind: 'address'; readonly bytes: Uint8Array }
  | { readonly kind: 'name'; readonly name: string };

export interface Target {
  readonly host: Host;
  readonly port: number;
}

const NAME_LENGTH_MAX = 253;
// Of ASCII without percent signs, which the URL parser would decode, and without URL delimiters. It maps all other characters as
// browsers do (UTS 46), and refuses those that it would map to a delimiter.
const PLAUSIBLE_NAME = /^(?:[\w.-]|\P{ASCII})+$/u;
const CANONICAL_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const AUTHORITY = /^(?:\[([^[\]]*)\]|([^:[\]@]*))(?::(\d{0,5}))?$/;
/** At least two colons. */
const UNBRACKETED_AUTHORITY = /^(?=[^:]*:[^:]*:)([0-9a-fA-F:.]{2,45}):(\d{1,5})$/;
const ZERO_GROUPS = /\b0(?::0)+\b/g;
const DOTTED = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * Parses an address or a name. `0x7f.1`, `2130706433` and `127.1` are parsed as 127.0.0.1, because the C library would dial
 * it; the URL parser has the same rules.
 */
export function parseHost(text: string): Host | undefined {
  if (CANONICAL_IPV4.test(text)) return ipv4(text); // Fast path for the most frequent form; the URL parser gives the same result.
  // Some clients keep the brackets of a URL in a name of SOCKS.
  if (text.includes(':')) return parseIpv6(text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text);
  if (!PLAUSIBLE_NAME.test(text)) return undefined;
  const canonical = toHostname(text);
  if (canonical === undefined) return undefined;
  if (DOTTED.test(canonical)) return ipv4(canonical);
  const name = canonical.replace(/\.$/, '');
  const labels = name.split('.');
  const isValid = name.length <= NAME_LENGTH_MAX && labels.every((label) => label.length >= 1 && label.length <= 63);
  return isValid ? { kind: 'name', name } : undefined;
}

/**
 * Parses `host:port` and `[v6]:port`. Without a default port the port is required (RFC 9110, section 9.3.6), so the last
 * group of `v6:port` is the port: many clients send CONNECT without brackets.
 */
export function parseAuthority(text: string, defaultPort?: number): Target | undefined {
  const match = AUTHORITY.exec(defaultPort === undefined ? text.replace(UNBRACKETED_AUTHORITY, '[$1]:$2') : text);
  if (!match) return undefined;
  const [, bracketed, plain, digits] = match;
  const port = digits ? Number(digits) : defaultPort;
  if (port === undefined || port < 1 || port > 65_535) return undefined;
  const host = bracketed === undefined ? parseHost(plain ?? '') : parseIpv6(bracketed);
  return host && { host, port };
}

/** Formats an address for dialling, logging and Host fields: dotted IPv4, or the usual text of IPv6 (RFC 5952). */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0));
  const text = groups.map((group) => group.toString(16)).join(':');
  let [longest, at] = ['', 0];
  for (const { 0: zeros, index } of text.matchAll(ZERO_GROUPS))
    if (zeros.length > longest.length) [longest, at] = [zeros, index];
  if (longest === '') return text;
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}

/** Formats a target for the Host field; omits the default port of the scheme. */
export function authorityText({ host, port }: Target, defaultPort?: number): string {
  const name = host.kind === 'name' ? host.name : addressText(host.bytes);
  const hostText = host.kind === 'address' && host.bytes.length === 16 ? `[${name}]` : name;
  return port === defaultPort ? hostText : `${hostText}:${port}`;
}

/** Rejects zone ids (`fe80::1%eth0`): customers must not choose an interface. */
function parseIpv6(text: string): Host | undefined {
  if (!/^[0-9a-fA-F:.]+$/.test(text)) return undefined;
  const canonical = toHostname(`[${text}]`);
  if (canonical === undefined) return undefined;
  const [head = '', tail] = canonical.slice(1, -1).split('::');
  const headGroups = toGroups(head);
  const tailGroups = toGroups(tail ?? '');
  const gap = 8 - headGroups.length - tailGroups.length;
  const groups = [...headGroups, ...Array.from({ length: tail === undefined ? 0 : gap }, () => 0), ...tailGroups];
  return { kind: 'address', bytes: Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255])) };
}

const ipv4 = (text: string): Host => ({ kind: 'address', bytes: Uint8Array.from(text.split('.').map(Number)) });

const toGroups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));

function toHostname(text: string): string | undefined {
  const url = `http://${text}/`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
