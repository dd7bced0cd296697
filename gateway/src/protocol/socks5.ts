/** Parsers and encoders of SOCKS5 (RFC 1928) and its username/password authentication (RFC 1929). */
import { type Host, parseHost, type Target } from './host.ts';
import { needMore, type Parsed, parsedMessage, parseFailure } from './parsed.ts';

export const SOCKS5_VERSION = 5;
export const METHOD_NONE = 0;
export const METHOD_USER_PASSWORD = 2;
export const COMMAND_CONNECT = 1;
const AUTHENTICATION_VERSION = 1;
const ATYP_IPV4 = 1;
const ATYP_NAME = 3;
const ATYP_IPV6 = 4;

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

/** VER, ULEN, UNAME, PLEN, PASSWD; both lengths are 1 to 255. */
export function parseUserPassword(bytes: Buffer): Parsed<Credentials> {
  if (bytes.length >= 1 && bytes[0] !== AUTHENTICATION_VERSION) return parseFailure('malformed');
  const usernameLength = bytes[1];
  if (usernameLength === 0) return parseFailure('malformed');
  if (usernameLength === undefined) return needMore;
  const passwordLength = bytes[2 + usernameLength];
  if (passwordLength === 0) return parseFailure('malformed');
  const length = 3 + usernameLength + (passwordLength ?? 0);
  if (passwordLength === undefined || bytes.length < length) return needMore;
  const username = bytes.toString('utf8', 2, 2 + usernameLength);
  return parsedMessage({ username, password: bytes.toString('utf8', 3 + usernameLength, length) }, length);
}

/** VER, CMD, RSV, ATYP, DST.ADDR, DST.PORT. */
export function parseRequest(bytes: Buffer): Parsed<Socks5Request> {
  if (bytes.length >= 1 && bytes[0] !== SOCKS5_VERSION) return parseFailure('malformed');
  const [, command, , addressType] = bytes;
  if (command === undefined || addressType === undefined) return needMore;
  const start = addressType === ATYP_NAME ? 5 : 4;
  const addressLength = destinationLength(addressType, bytes[4]);
  if (addressLength === 'unknown') return parseFailure('address-type');
  if (addressLength === 0) return parseFailure('malformed');
  if (addressLength === undefined || bytes.length < start + addressLength + 2) return needMore;
  const port = bytes.readUInt16BE(start + addressLength);
  const host = readHost(addressType, bytes.subarray(start, start + addressLength));
  return parsedMessage({ command, target: host && { host, port } }, start + addressLength + 2);
}

function destinationLength(addressType: number, nameLength: number | undefined): number | 'unknown' | undefined {
  if (addressType === ATYP_IPV4) return 4;
  if (addressType === ATYP_IPV6) return 16;
  return addressType === ATYP_NAME ? nameLength : 'unknown';
}

/** A name may be an address literal: clients that do not resolve names send every host as a name. */
function readHost(addressType: number, bytes: Buffer): Host | undefined {
  if (addressType !== ATYP_NAME) return { kind: 'address', bytes: Uint8Array.from(bytes) };
  return parseHost(bytes.toString('utf8'));
}

export const encodeMethod = (method: number) => Buffer.from([SOCKS5_VERSION, method]);

export const encodeAuthenticationStatus = (status: number) => Buffer.from([AUTHENTICATION_VERSION, status]);

/** Without a bound address, for failures, it is 0.0.0.0:0. */
export function encodeReply(reply: number, bound?: { readonly bytes: Uint8Array; readonly port: number }): Buffer {
  const address = bound?.bytes ?? new Uint8Array(4);
  const port = bound?.port ?? 0;
  const addressType = address.length === 4 ? ATYP_IPV4 : ATYP_IPV6;
  return Buffer.from([SOCKS5_VERSION, reply, 0, addressType, ...address, port >> 8, port & 255]);
}
