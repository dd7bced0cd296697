/** The client's side of HTTP CONNECT (RFC 9110, section 9.3.6): what the gateway sends to an upstream proxy, and its response. */
import type { FailureCause } from '../statuses.ts';
import { authorityText } from './host.ts';
import { needMore, type Parsed, parsedMessage, parseFailure } from './message-reader.ts';
import type { Credentials } from './socks5.ts';

const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?:[ \r]|$)/;
const STATUS_START = Buffer.from('HTTP/1.');
const HEAD_END = '\r\n\r\n';

export function encodeConnect(address: Uint8Array, port: number, credentials: Credentials | undefined): Buffer {
  const authority = authorityText({ host: { kind: 'address', bytes: address }, port });
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (credentials) {
    const { username, password } = credentials;
    lines.push(`Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  }
  return Buffer.from(`${lines.join('\r\n')}${HEAD_END}`);
}

/**
 * Parses the head of the response. A successful response to CONNECT has no body, even if its fields name one: all bytes after
 * the head belong to the tunnel.
 * @returns the status
 */
export function parseResponse(bytes: Buffer, headBytes: number): Parsed<number> {
  const start = bytes.subarray(0, STATUS_START.length);
  if (!start.equals(STATUS_START.subarray(0, start.length))) return parseFailure('upstream-malformed');
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return bytes.length >= headBytes ? parseFailure('upstream-malformed') : needMore;
  const length = end + HEAD_END.length;
  const [, digits] = STATUS_LINE.exec(bytes.toString('latin1', 0, end)) ?? [];
  const status = Number(digits);
  // Interim responses (1xx) are invalid for CONNECT.
  if (length > headBytes || digits === undefined || status < 200) return parseFailure('upstream-malformed');
  return parsedMessage(status, length);
}

const causesOfStatuses: Record<number, FailureCause> = {
  401: 'upstream-auth-failed',
  403: 'upstream-refused',
  407: 'upstream-auth-failed',
  502: 'host-unreachable',
  504: 'dial-timeout',
};

/** Proxies report failures of destinations as 502 and 504. @returns undefined for success */
export function statusCause(status: number): FailureCause | undefined {
  return status < 300 ? undefined : (causesOfStatuses[status] ?? 'upstream-failed');
}
