/** ATYP, the address and the port, as in requests, replies and datagrams of SOCKS5 (RFC 1928, section 5). */
import { type Host, parseHost, type Target } from './host.ts';

const ATYP_IPV4 = 1;
const ATYP_NAME = 3;
const ATYP_IPV6 = 4;
const PORT_LENGTH = 2;

/** The length of ATYP, address and port at the start of these bytes; undefined if more bytes are needed to know it. */
export function addressLength(bytes: Uint8Array): number | 'unknown' | 'empty-name' | undefined {
  const [addressType, nameLength] = bytes;
  if (addressType === undefined) return undefined;
  if (addressType === ATYP_IPV4) return 1 + 4 + PORT_LENGTH;
  if (addressType === ATYP_IPV6) return 1 + 16 + PORT_LENGTH;
  if (addressType !== ATYP_NAME) return 'unknown';
  if (nameLength === 0) return 'empty-name';
  return nameLength === undefined ? undefined : 2 + nameLength + PORT_LENGTH;
}

/** @param bytes exactly the bytes of `addressLength`. @returns undefined for an invalid host name */
export function readAddress(bytes: Buffer): Target | undefined {
  const portAt = bytes.length - PORT_LENGTH;
  const host = readHost(bytes, portAt);
  return host && { host, port: bytes.readUInt16BE(portAt) };
}

/** A name may be an address literal: clients that do not resolve names send every host as a name. */
function readHost(bytes: Buffer, end: number): Host | undefined {
  if (bytes[0] === ATYP_NAME) return parseHost(bytes.toString('utf8', 2, end));
  return { kind: 'address', bytes: Uint8Array.from(bytes.subarray(1, end)) };
}

/** @param address four or sixteen bytes */
export function encodeAddress(address: Uint8Array, port: number): number[] {
  return [address.length === 4 ? ATYP_IPV4 : ATYP_IPV6, ...address, port >> 8, port & 255];
}
