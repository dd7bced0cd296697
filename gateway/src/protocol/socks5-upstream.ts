/** The client's side of SOCKS5 (RFC 1928, RFC 1929): what the gateway sends to an upstream proxy, and its replies. */
import type { FailureCause } from '../statuses.ts';
import { needMore, type Parsed, parsedMessage, parseFailure } from './message-reader.ts';
import type { Target } from './host.ts';
import {
  ADDRESS_AT,
  addressLength,
  COMMAND_CONNECT,
  COMMAND_UDP_ASSOCIATE,
  type Credentials,
  encodeAddress,
  METHOD_NONE,
  METHOD_USER_PASSWORD,
  readAddress,
  SOCKS5_VERSION,
  SUCCEEDED,
} from './socks5.ts';

/** With credentials no other method is offered: without a login, the upstream might let traffic leave by another route. */
export function encodeGreeting(hasCredentials: boolean): Buffer {
  return Buffer.from([SOCKS5_VERSION, 1, hasCredentials ? METHOD_USER_PASSWORD : METHOD_NONE]);
}

/** @returns the method that the upstream has chosen */
export function parseMethod(bytes: Buffer): Parsed<number> {
  if (bytes.length >= 1 && bytes[0] !== SOCKS5_VERSION) return parseFailure('upstream-malformed');
  return bytes[1] === undefined ? needMore : parsedMessage(bytes[1], 2);
}

/** Both parts have 1 to 255 bytes. */
export function encodeLogin({ username, password }: Credentials): Buffer {
  const [name, secret] = [Buffer.from(username), Buffer.from(password)];
  return Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret]);
}

/** The version is ignored: some servers repeat that of SOCKS. @returns the status, 0 for success */
export function parseLoginStatus(bytes: Buffer): Parsed<number> {
  return bytes[1] === undefined ? needMore : parsedMessage(bytes[1], 2);
}

export function encodeConnect(address: Uint8Array, port: number): Buffer {
  return Buffer.from([SOCKS5_VERSION, COMMAND_CONNECT, 0, ...encodeAddress(address, port)]);
}

/** With an unspecified address, because a NAT may change the address from which datagrams are sent. */
export const encodeUdpAssociate = (): Buffer =>
  Buffer.from([SOCKS5_VERSION, COMMAND_UDP_ASSOCIATE, 0, ...encodeAddress(new Uint8Array(4), 0)]);

export interface UpstreamReply {
  readonly code: number;
  /** BND.ADDR and BND.PORT; undefined after a failure, and for an invalid name. */
  readonly bound: Target | undefined;
}

/** A failure is recognized at its second byte, because some servers close before the end of the reply. */
export function parseReply(bytes: Buffer): Parsed<UpstreamReply> {
  const [version, reply] = bytes;
  if (version !== undefined && version !== SOCKS5_VERSION) return parseFailure('upstream-malformed');
  if (reply === undefined) return needMore;
  if (reply !== SUCCEEDED) return parsedMessage({ code: reply, bound: undefined }, bytes.length);
  const length = addressLength(bytes.subarray(ADDRESS_AT));
  if (length === 'unknown' || length === 'empty-name') return parseFailure('upstream-malformed');
  const end = ADDRESS_AT + (length ?? 0);
  if (length === undefined || bytes.length < end) return needMore;
  return parsedMessage({ code: SUCCEEDED, bound: readAddress(bytes.subarray(ADDRESS_AT, end)) }, end);
}

/** RFC 1928, section 6. 8: this upstream has no such addresses, IPv6 in practice. */
const causesOfReplies: Record<number, FailureCause> = {
  2: 'upstream-refused',
  3: 'network-unreachable',
  4: 'host-unreachable',
  5: 'connection-refused',
  6: 'host-unreachable',
  8: 'network-unreachable',
};

export const replyCause = (reply: number): FailureCause => causesOfReplies[reply] ?? 'upstream-failed';

/** A request for UDP names no destination, so a refusal by rules means UDP itself. */
export const associateReplyCause = (reply: number): FailureCause =>
  reply === 2 || reply === 7 ? 'udp-unsupported' : 'upstream-failed';
