/** Failures of requests for a tunnel, and their replies over HTTP. */
import { STATUS_CODES } from 'node:http';
import { failureReplies, type FailureCause, type FailureReply } from './failure-replies.ts';

export type { FailureCause } from './failure-replies.ts';

/** The upstream proxy itself does not work, so the next address of the destination would fail as well. */
const downCauses: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-auth-failed',
  'upstream-malformed',
]);

export const isUpstreamDown = (cause: FailureCause): boolean => downCauses.has(cause);

/** An expected failure to open a tunnel. */
export class TunnelFailure extends Error {
  constructor(readonly failure: FailureCause) {
    super(failureReplies[failure].text);
    this.name = 'TunnelFailure';
  }
}

/** Any other error is a bug of the gateway. */
export const causeOf = (error: unknown): FailureCause => (error instanceof TunnelFailure ? error.failure : 'internal');

const PROXY_NAME = 'gateway';

/** Status, fields and body of the gateway's own response, not of forwarded ones. */
export function httpFailure(cause: FailureCause): { status: number; fields: Record<string, string>; body: string } {
  const reply: FailureReply = failureReplies[cause];
  const body = `${reply.text}\n`;
  const fields: Record<string, string> = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
  };
  if (reply.http === 407) fields['Proxy-Authenticate'] = 'Basic realm="proxy", charset="UTF-8"';
  if (reply.proxyStatus !== undefined) fields['Proxy-Status'] = `${PROXY_NAME}; error=${reply.proxyStatus}`;
  if (reply.retryAfterSeconds !== undefined) fields['Retry-After'] = String(reply.retryAfterSeconds);
  return { status: reply.http, fields, body };
}

/** The complete response as text, for sockets without an HTTP server of Node. The connection closes after it. */
export function encodeHttpFailure(cause: FailureCause): string {
  const { status, fields, body } = httpFailure(cause);
  const lines = Object.entries({ ...fields, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

const causesOfSystemErrors: Record<string, FailureCause> = {
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-terminated',
  EPIPE: 'connection-terminated',
  ENETUNREACH: 'network-unreachable',
  EHOSTUNREACH: 'host-unreachable',
  ETIMEDOUT: 'dial-timeout',
  EADDRNOTAVAIL: 'exit-unavailable',
  EMFILE: 'descriptors-exhausted',
  ENFILE: 'descriptors-exhausted',
};

/** Maps the error of `connect` to a cause. Unknown codes (EACCES) are a fault of the exit, not of the destination. */
export function failureOfDial(error: unknown): TunnelFailure {
  if (error instanceof TunnelFailure) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new TunnelFailure(causesOfSystemErrors[code] ?? 'exit-unavailable');
}
