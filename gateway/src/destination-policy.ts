/** Which addresses may be dialled: a pure function of the exact bytes that are passed to `connect`. */
import { isMetadataAddress } from '@cellhop/contract/network';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

const SMTP_PORT = 25;
const IPV4_LENGTH = 4;

// IANA special-purpose registry (RFC 6890) and multicast. Metadata services of clouds are in these ranges, except that of Azure,
// which has a public address: 168.63.129.16.
const refusedIpv4 = networks(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '168.63.129.16/32 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
);
// Only global unicast is allowed, which excludes loopback, link-local, unique local and multicast.
const allowedIpv6 = networks('2000::/3');
const refusedIpv6 = networks('2001::/23 2001:db8::/32 2002::/16 3fff::/20');
// IPv4-compatible addresses and NAT64 (RFC 6052), as in mobile networks: they reach the embedded IPv4 address.
const translated = networks('::/96 64:ff9b::/96');

const LAST_FOUR = [12, 13, 14, 15];
/** IPv6 prefixes that embed an IPv4 address, and the offsets of its four bytes. */
const embeddings: readonly { readonly within: Network[]; readonly offsets: readonly number[][] }[] = [
  { within: translated, offsets: [LAST_FOUR] },
  // Local-use NAT64 (RFC 8215) may use each prefix length of RFC 6052 that fits; byte 8 is reserved.
  { within: networks('64:ff9b:1::/48'), offsets: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST_FOUR] },
  { within: networks('2002::/16'), offsets: [[2, 3, 4, 5]] }, // 6to4 (RFC 3056)
  { within: networks('2001::/32'), offsets: [[4, 5, 6, 7]] }, // Teredo: the server (RFC 4380)
];
/** Teredo embeds the client's address with inverted bits. */
const teredo = networks('2001::/32');

export interface DestinationPolicy {
  readonly isPrivateAllowed: boolean;
  /** This gateway's listeners: a tunnel to them would loop. Addresses are canonical text. */
  readonly isOwnListener: (address: string, port: number) => boolean;
  /** Public addresses that are refused nevertheless: those of this node and of the control plane. */
  readonly isReserved: (address: string, port: number) => boolean;
}

export function isDestinationAllowed(policy: DestinationPolicy, bytes: Uint8Array, port: number): boolean {
  if (port === SMTP_PORT || port === 0) return false;
  const dialled = toAddress(unmapped(bytes));
  const reached = [dialled, ...embeddedIn(dialled)].map((address) => address.toString());
  if (reached.some((address) => policy.isOwnListener(address, port))) return false;
  if (policy.isPrivateAllowed) return true;
  return isPublic(dialled) && !reached.some((address) => policy.isReserved(address, port));
}

/**
 * Whether an upstream proxy may have this address. It may be private, unlike a destination, but neither this gateway nor another part of
 * the shop, nor a metadata service of a cloud.
 */
export function isUpstreamAllowed(policy: DestinationPolicy, bytes: Uint8Array, port: number): boolean {
  const dialled = toAddress(unmapped(bytes));
  const reached = [dialled, ...embeddedIn(dialled)].map((address) => address.toString());
  return !reached.some(
    (address) => isMetadataAddress(address) || policy.isOwnListener(address, port) || policy.isReserved(address, port),
  );
}

/** Whether an address in a DNS answer is public. The node's own public addresses count as public. */
export function isPublicAddress(bytes: Uint8Array): boolean {
  return isPublic(toAddress(unmapped(bytes)));
}

/** The address itself, and the IPv4 addresses that it embeds. */
export function reachedAddresses(bytes: Uint8Array): Uint8Array[] {
  const address = toAddress(unmapped(bytes));
  return [address, ...embeddedIn(address)].map((reached) => Uint8Array.from(reached.toByteArray()));
}

/** An IPv4-mapped address is dialled as IPv4. */
export function unmapped(bytes: Uint8Array): Uint8Array {
  if (bytes.length === IPV4_LENGTH) return bytes;
  const address = toAddress(bytes);
  return isIpv6(address) && address.isIPv4MappedAddress() ? bytes.slice(12) : bytes;
}

/** Builds `isOwnListener` from the listening ports and the addresses of this host. */
export function ownListeners(ports: Pick<ReadonlySet<number>, 'has'>, hostAddresses: () => ReadonlySet<string>) {
  return (address: string, port: number) =>
    ports.has(port) && (isLoopbackOrUnspecified(address) || hostAddresses().has(address));
}

export const isLoopbackOrUnspecified = (address: string) =>
  address.startsWith('127.') || address === '0.0.0.0' || address === '::1' || address === '::';

function isPublic(address: Address): boolean {
  if (!isIpv6(address)) return !isWithin(address, refusedIpv4);
  if (isWithin(address, translated)) return isPublic(ipv4At(address.toByteArray(), LAST_FOUR));
  if (isIsatap(address.toByteArray()) && !isPublic(ipv4At(address.toByteArray(), LAST_FOUR))) return false;
  return isWithin(address, allowedIpv6) && !isWithin(address, refusedIpv6);
}

function embeddedIn(address: Address): ipaddr.IPv4[] {
  if (!isIpv6(address)) return [];
  const bytes = address.toByteArray();
  const found = embeddings
    .filter(({ within }) => isWithin(address, within))
    .flatMap(({ offsets }) => offsets.map((offset) => ipv4At(bytes, offset)));
  if (isIsatap(bytes)) found.push(ipv4At(bytes, LAST_FOUR));
  const inverted = () => bytes.map((byte) => byte ^ 0xff);
  return isWithin(address, teredo) ? [...found, ipv4At(inverted(), LAST_FOUR)] : found;
}

/** Interface identifiers ::0:5efe:a.b.c.d and ::200:5efe:a.b.c.d (RFC 5214, section 6.1). */
const isIsatap = (bytes: number[]) =>
  (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;

const ipv4At = (bytes: number[], offset: readonly number[]) => new ipaddr.IPv4(offset.map((index) => bytes[index]!));

const isWithin = (address: Address, list: Network[]) => list.some((network) => address.match(network));

const isIpv6 = (address: Address): address is ipaddr.IPv6 => address.kind() === 'ipv6';

const toAddress = (bytes: Uint8Array) => ipaddr.fromByteArray(Array.from(bytes));

function networks(...lines: string[]): Network[] {
  return lines.flatMap((line) => line.split(' ')).map((text) => ipaddr.parseCIDR(text));
}
