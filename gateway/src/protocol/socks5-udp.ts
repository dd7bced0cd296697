/** The header of datagrams between a client and its UDP association (RFC 1928, section 7): RSV, FRAG, ATYP, address, port. */
import type { Target } from './host.ts';
import { addressLength, encodeAddress, readAddress } from './socks5-address.ts';

/** Why a datagram of a client is dropped. Fragments are optional in the RFC, and clients do not send them. */
export type HeaderFault = 'malformed' | 'fragment';

/** RSV, two bytes, and FRAG. */
const ADDRESS_AT = 3;
/** The most that fits into one datagram over IPv4 (RFC 768, RFC 791). */
export const DATAGRAM_BYTES_MAX = 65_507;

/** @returns the length of the header, or why the datagram must be dropped */
export function udpHeaderLength(datagram: Uint8Array): number | HeaderFault {
  const [reservedHigh, reservedLow, fragment] = datagram;
  if (reservedHigh !== 0 || reservedLow !== 0) return 'malformed';
  if (fragment !== 0) return fragment === undefined ? 'malformed' : 'fragment';
  const length = addressLength(datagram.subarray(ADDRESS_AT));
  if (typeof length !== 'number') return 'malformed';
  const end = ADDRESS_AT + length;
  if (datagram.length < end) return 'malformed';
  const hasPort = datagram[end - 2] !== 0 || datagram[end - 1] !== 0;
  return hasPort ? end : 'malformed';
}

/** @param header exactly the bytes of `udpHeaderLength`. @returns undefined for an invalid host name */
export const readUdpTarget = (header: Buffer): Target | undefined => readAddress(header.subarray(ADDRESS_AT));

/** @param address four or sixteen bytes */
export const encodeUdpHeader = (address: Uint8Array, port: number): Buffer =>
  Buffer.from([0, 0, 0, ...encodeAddress(address, port)]);
