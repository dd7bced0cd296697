import ipaddr from 'ipaddr.js';

/** The prefix that a provider gives to one customer (RFC 6177); the customer can use every address in it. */
const IPV6_CUSTOMER_PREFIX_BITS = 64;
/** The address of an IPv4 client to a program that listens on `::`; parsing it as IPv6 takes ten times as long. */
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
 * The network by which requests, sockets and failures are counted: an IPv4 address, or the /64 of an IPv6 address.
 * All text that is not an address counts as one network, so it cannot evade a limit.
 */
export function clientNetwork(text: string): string {
  const address = parse(text);
  if (address === undefined) return 'unknown';
  if (!isIpv6(address)) return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_CUSTOMER_PREFIX_BITS}`);
  return `${network.toString()}/${IPV6_CUSTOMER_PREFIX_BITS}`;
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
