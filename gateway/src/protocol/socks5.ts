/** Parsers and encoders of SOCKS5 (RFC 1928) and its username/password authentication (RFC 1929). */
import { type Host, parseHost, type Target } from './host.ts';
import { needMore, type Parsed, parsedMessage, parseFailure } from './message-reader.ts';

export const SOCKS5_VERSION = 5;
export const METHOD_NONE = 0;
export const METHOD_USER_PASSWORD = 2;
export const COMMAND_CONNECT = 1;
export const COMMAND_UDP_ASSOCIATE = 3;
/** The reply to a request that succeeded (RFC 1928, section 6). */
export const SUCCEEDED = 0;
const AUTHENTICATION_VERSION = 1;
/** The offset of the address, after VER, CMD or REP, and RSV, or after RSV and FRAG of a datagram. */
export const ADDRESS_AT = 3;
const ATYP_IPV4 = 1;
const ATYP_NAME = 3;
const ATYP_IPV6 = 4;
const PORT_LENGTH = 2;
/** The most that fits into one datagram over IPv4 (RFC 768, RFC 791). */
export const DATAGRAM_BYTES_MAX = 65_507;

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface Socks5Request {
  readonly command: number;
  /** Undefined for an invalid host name. */
  readonly target: Target | undefined;
}

/** VER, NMETHODS, METHODS. @returns the offered methods */
export function parseGreeting(bytes: Buffer): Parsed<number[]> {
  if (bytes.length >= 1 && bytes[0] !== SOCKS5_VERSION) return parseFailure('malformed');
  const count = bytes[1];
  if (count === undefined || bytes.length < 2 + count) return needMore;
  return parsedMessage([...bytes.subarray(2, 2 + count)], 2 + count);
}

/** VER, ULEN, UNAME, PLEN, PASSWD. Lengths of 0 are not in the RFC, but programs without credentials send them. */
export function parseUserPassword(bytes: Buffer): Parsed<Credentials> {
  if (bytes.length >= 1 && bytes[0] !== AUTHENTICATION_VERSION) return parseFailure('malformed');
  const usernameLength = bytes[1];
  if (usernameLength === undefined) return needMore;
  const passwordLength = bytes[2 + usernameLength];
  const length = 3 + usernameLength + (passwordLength ?? 0);
  if (passwordLength === undefined || bytes.length < length) return needMore;
  const username = bytes.toString('utf8', 2, 2 + usernameLength);
  return parsedMessage({ username, password: bytes.toString('utf8', 3 + usernameLength, length) }, length);
}

/** VER, CMD, RSV, ATYP, DST.ADDR, DST.PORT. */
export function parseRequest(bytes: Buffer): Parsed<Socks5Request> {
  if (bytes.length >= 1 && bytes[0] !== SOCKS5_VERSION) return parseFailure('malformed');
  const [, command] = bytes;
  const length = addressLength(bytes.subarray(ADDRESS_AT));
  if (length === 'unknown') return parseFailure('address-type');
  if (length === 'empty-name') return parseFailure('malformed');
  if (command === undefined || length === undefined || bytes.length < ADDRESS_AT + length) return needMore;
  const end = ADDRESS_AT + length;
  return parsedMessage({ command, target: readAddress(bytes.subarray(ADDRESS_AT, end)) }, end);
}

export const encodeMethod = (method: number) => Buffer.from([SOCKS5_VERSION, method]);

export const encodeAuthenticationStatus = (status: number) => Buffer.from([AUTHENTICATION_VERSION, status]);

/** Without a bound address, for failures, it is 0.0.0.0:0. */
export function encodeReply(reply: number, bound?: { readonly address: Uint8Array; readonly port: number }): Buffer {
  const { address, port } = bound ?? { address: new Uint8Array(4), port: 0 };
  return Buffer.from([SOCKS5_VERSION, reply, 0, ...encodeAddress(address, port)]);
}

/** The length of ATYP, address and port (RFC 1928, section 5) at the start of these bytes; undefined if more bytes are needed to know it. */
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

/** Why a datagram of a client is dropped. Fragments are optional in the RFC, and clients do not send them. */
export type HeaderFault = 'malformed' | 'fragment';

/**
 * The header of a datagram between a client and its UDP association (RFC 1928, section 7): RSV, FRAG, ATYP, address, port.
 * @returns its length, or why the datagram must be dropped
 */
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
