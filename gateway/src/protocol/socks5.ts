/** Parsers and encoders of SOCKS5 (RFC 1928) and its username/password authentication (RFC 1929). */
import type { Target } from './host.ts';
import { needMore, type Parsed, parsedMessage, parseFailure } from './parsed.ts';
import { addressLength, encodeAddress, readAddress } from './socks5-address.ts';

export const SOCKS5_VERSION = 5;
export const METHOD_NONE = 0;
export const METHOD_USER_PASSWORD = 2;
export const COMMAND_CONNECT = 1;
export const COMMAND_UDP_ASSOCIATE = 3;
/** The reply to a request that succeeded (RFC 1928, section 6). */
export const SUCCEEDED = 0;
const AUTHENTICATION_VERSION = 1;
/** VER, CMD and RSV. */
const ADDRESS_AT = 3;

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
