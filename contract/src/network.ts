import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** The prefixes that providers assign to one customer (RFC 6177), who can use every address in it; the widest first. */
const IPV6_CUSTOMER_PREFIX_BITS = [48, 56, 64];
/** How an IPv4 client appears to a program that listens on `::`. Parsing it as IPv6 takes ten times as long. */
const MAPPED = /^::ffff:(?=[\d.]+$)/i;
/** The usual client address. It is already canonical, and parsing would cost each new client 4 us. */
const CANONICAL_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/**
 * The canonical text of an address (RFC 5952), without a zone. An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2)
 * becomes the IPv4 address.
 * @returns undefined for text that is not an address; short IPv4 forms such as `127.1` are not accepted
 */
export function canonicalAddress(text: string): string | undefined {
  return CANONICAL_IPV4.test(text) ? text : parse(text)?.toString();
}

/**
 * The narrowest network of a client: an IPv4 address, or the /64 of an IPv6 address.
 * Other text, which stands for an address that is not known, is a network by itself.
 */
export function clientNetwork(text: string): string {
  return clientNetworks(text, IPV6_CUSTOMER_PREFIX_BITS.slice(-1))[0]!;
}

/**
 * The networks that share limits and queues, the widest first: of an IPv6 address, its /48, /56 and /64, because nobody
 * but its provider knows which of them one customer has.
 */
export function clientNetworks(text: string, prefixes = IPV6_CUSTOMER_PREFIX_BITS): readonly string[] {
  if (CANONICAL_IPV4.test(text)) return [text];
  const address = parse(text);
  if (address === undefined) return [text];
  if (!isIpv6(address)) return [address.toString()];
  return prefixes.map(
    (bits) => `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`,
  );
}

/** What counts for a limit of its own, such as a network or a user. */
export interface Limited {
  readonly name: string;
  readonly limit: number;
}

/**
 * How much load each of `clientNetworks` may cause, the narrowest first: a /64 as much as an IPv4 address, its /56 twice and its /48 four times
 * as much, because carriers give each of many customers a /64.
 */
export function networkLimits(networks: readonly string[], limit: number): readonly Limited[] {
  return networks.toReversed().map((name, level) => ({ name, limit: limit * 2 ** level }));
}

/** What one of `clientNetworks` may use of a limit of attempts: the widest all of it, as an IPv4 address, its /56 three quarters, its /64 half. */
export function networkShare(limit: number, level: number): number {
  return Math.ceil(limit * (1 - level / 4));
}

/** An address, or all addresses with the same prefix. */
export interface Network {
  /** In canonical CIDR notation: `203.0.113.7/32`, `2001:db8::/56`. */
  readonly text: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefixBits: number;
  contains(address: string): boolean;
}

/**
 * Parses an address or a network in CIDR notation (RFC 4632, RFC 4291). Bits after the prefix are ignored.
 * @returns undefined for other text, for an address with an interface zone, and for an IPv4-mapped IPv6 address with a prefix
 */
export function parseNetwork(text: string): Network | undefined {
  const [, addressText = '', prefixText] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = parse(addressText);
  if (address === undefined || (prefixText !== undefined && !isIpv6(address) && addressText.includes(':')))
    return undefined;
  const family = address.kind();
  const addressBits = family === 'ipv4' ? 32 : 128;
  const prefixBits = prefixText === undefined ? addressBits : Number(prefixText);
  if (prefixBits > addressBits) return undefined;
  const cidr = `${address.toString()}/${prefixBits}`;
  const first = isIpv6(address) ? ipaddr.IPv6.networkAddressFromCIDR(cidr) : ipaddr.IPv4.networkAddressFromCIDR(cidr);
  const contains = (candidate: string) => {
    const parsed = parse(candidate);
    return parsed?.kind() === family && parsed.match(first, prefixBits);
  };
  return { text: `${first.toString()}/${prefixBits}`, family, prefixBits, contains };
}

/**
 * Parses what staff type to find addresses: an address, a network in CIDR notation, or the first groups of an address, such as
 * `192.0.2` or `2001:db8:`.
 * @returns in canonical CIDR notation
 */
export function parseAddressPrefix(text: string): string | undefined {
  const [groups = ''] = /^\d{1,3}(?:\.\d{1,3}){0,2}(?=\.?$)/.exec(text) ?? [];
  if (groups !== '') {
    const count = groups.split('.').length;
    return parseNetwork(`${groups}${'.0'.repeat(4 - count)}/${8 * count}`)?.text;
  }
  const [ipv6Groups = ''] = /^[\da-f]{1,4}(?::[\da-f]{1,4}){0,6}(?=:$)/i.exec(text) ?? [];
  if (ipv6Groups !== '') {
    const count = ipv6Groups.split(':').length;
    return parseNetwork(`${ipv6Groups}${':0'.repeat(8 - count)}/${16 * count}`)?.text;
  }
  return parseNetwork(text)?.text;
}

/** Services of clouds that give whoever asks on the machine its secrets: link-local in most, public or unique local in some. */
const metadataNetworks = [
  '169.254.0.0/16',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::254',
].flatMap((text) => parseNetwork(text) ?? []);

/** @param address canonical; other text is none */
export function isMetadataAddress(address: string): boolean {
  return metadataNetworks.some((network) => network.contains(address));
}

const privateRanges = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

/** Of this machine or a network that is not public, a VPN included. @returns false for text that is no address */
export function isPrivateAddress(text: string): boolean {
  const address = parse(text);
  return address !== undefined && privateRanges.has(address.range());
}

/** Names that no public name server knows. One without a dot is of a container or of this network. */
const PRIVATE_NAME = /^[^.:]+$|\.(?:home\.arpa|internal|intranet|lan|local|localhost|private)$/;

/** Whether nobody else reads what is sent to it without encryption. @param hostname of a URL, as it is parsed */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  return isPrivateAddress(host) || PRIVATE_NAME.test(host);
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const unscoped = text.replace(MAPPED, '').replace(/%.*$/, '');
  if (ipaddr.IPv4.isValidFourPartDecimal(unscoped)) return ipaddr.IPv4.parse(unscoped);
  if (!ipaddr.IPv6.isValid(unscoped)) return undefined;
  const address = ipaddr.IPv6.parse(unscoped);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function isIpv6(address: ipaddr.IPv4 | ipaddr.IPv6): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6';
}

/** Both ports are inclusive. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Such as `20000-20999`. */
export const portRangeSchema = z
  .string()
  .regex(/^\d{1,5}-\d{1,5}$/, 'must look like 20000-20999')
  .transform((text) => text.split('-').map(Number) as [number, number])
  .refine(([first, last]) => first >= 1 && first <= last && last <= 65_535, 'must be a range of ports')
  .transform(([first, last]): PortRange => ({ first, last }));
