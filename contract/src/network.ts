import ipaddr from 'ipaddr.js';

/** The prefix that a provider gives to one customer (RFC 6177); the customer can use every address in it. */
const IPV6_CUSTOMER_PREFIX_BITS = 64;
/** How each client with IPv4 looks to a program that listens on `::`; to read it as IPv6 takes ten times as long. */
const MAPPED = /^::ffff:(?=[\d.]+$)/i;

/**
 * The address in its canonical text (RFC 5952), without an interface zone. An IPv4 address that is mapped into IPv6
 * (RFC 4291, section 2.5.5.2) is the IPv4 address.
 * @returns undefined for text that is not an address; short forms of IPv4 such as `127.1` are not addresses
 */
export function canonicalAddress(text: string): string | undefined {
  return parse(text)?.toString();
}

/**
 * The network whose requests, sockets and failures count together: an IPv4 address, or the /64 of an IPv6 address.
 * Text that is not an address is one network of its own, so that it cannot escape a limit.
 */
export function clientNetwork(text: string): string {
  const address = parse(text);
  if (address === undefined) return 'unknown';
  if (!isIpv6(address)) return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_CUSTOMER_PREFIX_BITS}`);
  return `${network.toString()}/${IPV6_CUSTOMER_PREFIX_BITS}`;
}

/** An address, or all addresses that begin with the same bits. */
export interface Network {
  /** Canonical, with its prefix: `203.0.113.7/32`, `2001:db8::/56`. */
  readonly text: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefixBits: number;
  contains(address: string): boolean;
}

/**
 * Reads an address or a network in CIDR notation (RFC 4632, RFC 4291); bits behind the prefix are ignored.
 * @returns undefined for other text, for an address with an interface zone, and for a prefix of an address that is mapped into IPv6
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
