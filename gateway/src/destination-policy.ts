/** Which addresses may be dialled: a pure function over the very bytes that `connect` will get. */
import { addressText, parseHost } from './protocol/host.ts';

const SMTP_PORT = 25;

interface Prefix {
  readonly bytes: Uint8Array;
  readonly length: number;
}

// IANA special-purpose registry (RFC 6890) and multicast.
const refusedIpv4 = prefixes(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
);
// Only global unicast is allowed; that refuses loopback, link-local, unique local and multicast at once.
const allowedIpv6 = prefixes('2000::/3');
const refusedIpv6 = prefixes('2001::/23 2001:db8::/32 2002::/16 3fff::/20');
// IPv4-mapped, IPv4-compatible and the DNS64 of mobile networks (RFC 6052): the last four bytes are what is reached.
const embeddedIpv4 = prefixes('::ffff:0:0/96 ::/96 64:ff9b::/96');

export interface DestinationPolicy {
  readonly isPrivateAllowed: boolean;
  /** Our own listeners; a tunnel to ourselves would only loop. */
  readonly isOwnListener: (bytes: Uint8Array, port: number) => boolean;
}

export function isDestinationAllowed(policy: DestinationPolicy, bytes: Uint8Array, port: number): boolean {
  if (port === SMTP_PORT || port === 0) return false;
  const dialled = unmapped(bytes);
  if (policy.isOwnListener(dialled, port)) return false;
  return policy.isPrivateAllowed || isPublic(dialled);
}

/** An IPv4-mapped address is dialled as the IPv4 address that it is. */
export function unmapped(bytes: Uint8Array): Uint8Array {
  return embeddedIpv4[0] && bytes.length === 16 && hasPrefix(bytes, embeddedIpv4[0]) ? bytes.slice(12) : bytes;
}

const isLoopbackOrUnspecified = (bytes: Uint8Array) =>
  bytes.length === 4
    ? bytes[0] === 127 || bytes.every((byte) => byte === 0)
    : bytes.every((byte, index) => byte === 0 || (index === 15 && byte === 1));

function isPublic(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return !isWithin(bytes, refusedIpv4);
  if (isWithin(bytes, embeddedIpv4)) return isPublic(bytes.slice(12));
  if (isIsatap(bytes) && !isPublic(bytes.slice(12))) return false;
  return isWithin(bytes, allowedIpv6) && !isWithin(bytes, refusedIpv6);
}

/** Interface identifiers ::0:5efe:a.b.c.d and ::200:5efe:a.b.c.d (RFC 5214, section 6.1). */
const isIsatap = (bytes: Uint8Array) =>
  (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;

const isWithin = (bytes: Uint8Array, list: Prefix[]) => list.some((prefix) => hasPrefix(bytes, prefix));

function hasPrefix(bytes: Uint8Array, { bytes: expected, length }: Prefix): boolean {
  const whole = length >> 3;
  for (let index = 0; index < whole; index += 1) if (bytes[index] !== expected[index]) return false;
  const mask = (0xff << (8 - (length & 7))) & 0xff;
  return ((bytes[whole] ?? 0) & mask) === ((expected[whole] ?? 0) & mask);
}

function prefixes(...lines: string[]): Prefix[] {
  return lines
    .flatMap((line) => line.split(' '))
    .map((text) => {
      const [address = '', length] = text.split('/');
      const host = parseHost(address);
      if (host?.kind !== 'address') throw new Error(`${text} is no prefix`);
      return { bytes: host.bytes, length: Number(length) };
    });
}

/** Builds the test for our own listeners from the ports we hold and the addresses this host has. */
export function ownListeners(ports: ReadonlySet<number>, hostAddresses: () => ReadonlySet<string>) {
  return (bytes: Uint8Array, port: number) =>
    ports.has(port) && (isLoopbackOrUnspecified(bytes) || hostAddresses().has(addressText(bytes)));
}
