/** Parser and encoder of SOCKS4 and of its extension 4a, which has no RFC: clients of 4a let the server resolve names. */
import { parseHost, type Target } from './host.ts';
import { needMore, type Parsed, parsedMessage, parseFailure } from './message-reader.ts';
import type { Credentials } from './socks5.ts';

export const SOCKS4_VERSION = 4;
/** After VN, CD, DSTPORT and DSTIP. */
const USER_ID_AT = 8;
/** As much as SOCKS5 allows for a user name, a colon and a password. */
const USER_ID_BYTES_MAX = 255 + 1 + 255;
const NAME_BYTES_MAX = 255;

/** CD of the reply to a request that succeeded. */
export const SOCKS4_GRANTED = 0x5a;

export interface Socks4Request {
  readonly command: number;
  /** Undefined for an invalid host name. */
  readonly target: Target | undefined;
  /** Undefined if the user id is not `user:password`: many programs send the name of the operating system's user. */
  readonly credentials: Credentials | undefined;
}

/** VN, CD, DSTPORT, DSTIP, USERID, zero; for a DSTIP of 0.0.0.1 to 0.0.0.255 then a name and a zero (4a). */
export function parseSocks4Request(bytes: Buffer): Parsed<Socks4Request> {
  if (bytes.length >= 1 && bytes[0] !== SOCKS4_VERSION) return parseFailure('malformed');
  if (bytes.length < USER_ID_AT) return needMore;
  const userIdEnd = zeroAt(bytes, USER_ID_AT, USER_ID_BYTES_MAX);
  if (typeof userIdEnd !== 'number') return userIdEnd;
  const command = bytes[1] ?? 0;
  const port = bytes.readUInt16BE(2);
  const address = Uint8Array.from(bytes.subarray(4, USER_ID_AT));
  const credentials = toCredentials(bytes.toString('utf8', USER_ID_AT, userIdEnd));
  if (!isNameNext(address)) {
    const target: Target = { host: { kind: 'address', bytes: address }, port };
    return parsedMessage({ command, target, credentials }, userIdEnd + 1);
  }
  const nameEnd = zeroAt(bytes, userIdEnd + 1, NAME_BYTES_MAX);
  if (typeof nameEnd !== 'number') return nameEnd;
  if (nameEnd === userIdEnd + 1) return parseFailure('malformed');
  const host = parseHost(bytes.toString('utf8', userIdEnd + 1, nameEnd));
  return parsedMessage({ command, target: host && { host, port }, credentials }, nameEnd + 1);
}

/** Without a bound IPv4 address, for failures and IPv6 exits, it is 0.0.0.0. */
export function encodeSocks4Reply(
  code: number,
  bound?: { readonly address: Uint8Array; readonly port: number },
): Buffer {
  const port = bound?.port ?? 0;
  const address = bound?.address.length === 4 ? bound.address : new Uint8Array(4);
  return Buffer.from([0, code, port >> 8, port & 255, ...address]);
}

function zeroAt(
  bytes: Buffer,
  start: number,
  bytesMax: number,
): number | ReturnType<typeof parseFailure> | typeof needMore {
  const length = bytes.subarray(start, start + bytesMax + 1).indexOf(0);
  if (length >= 0) return start + length;
  return bytes.length > start + bytesMax ? parseFailure('malformed') : needMore;
}

const isNameNext = ([first, second, third, fourth]: Uint8Array) =>
  first === 0 && second === 0 && third === 0 && fourth !== 0;

function toCredentials(userId: string): Credentials | undefined {
  const colon = userId.indexOf(':');
  return colon < 0 ? undefined : { username: userId.slice(0, colon), password: userId.slice(colon + 1) };
}
