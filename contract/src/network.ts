import ipaddr from 'ipaddr.js';

/** The prefix that a provider gives to one customer (RFC 6177); the customer can use every address in it. */
const IPV6_CUSTOMER_PREFIX_BITS = 64;
/** How each client with IPv4 looks to a program that listens on `::`; to read it as IPv6 takes ten times as long. */
const MAPPED = /^::ffff:(?=[\d.]+$)/i;
/** What sockets give as a client's address. Already canonical: every new client is looked at, and parsing costs 4 us. */
const CANONICAL_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

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
  if (CANONICAL_IPV4.test(text)) return text;
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
