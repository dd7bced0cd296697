/** Failures of requests for a tunnel, and their replies to the client. */
import { type RefusalReason, refusalReasons } from '@cellhop/contract/refusals.values';
import { STATUS_CODES } from 'node:http';

const GENERAL_FAILURE = 1;
const SOCKS4_REFUSED = 0x5b;
const SOCKS4_LOGIN_FAILED = 0x5d;

type Socks5Reply = number | 'login-failed';

interface FailureReply {
  /**
   * REP field of RFC 1928, section 6, if the cause is known at the request. Before it, all causes are status 1 of RFC 1929,
   * or no acceptable method; `login-failed` is only known then.
   */
  readonly socks5: Socks5Reply;
  readonly http: number;
  /** Error type of RFC 9209, section 2.3. */
  readonly proxyStatus: string | undefined;
  readonly text: string;
  readonly retryAfterSeconds?: number | undefined;
}

const reply = (
  socks5: Socks5Reply,
  http: number,
  proxyStatus: string | undefined,
  text: string,
  retryAfterSeconds?: number,
): FailureReply => ({ socks5, http, proxyStatus, text, retryAfterSeconds });

const denied = (socks5: Socks5Reply, http: number, text: string, retryAfterSeconds?: number) =>
  reply(socks5, http, 'http_request_denied', text, retryAfterSeconds);
const badRequest = (socks5: Socks5Reply, http: number, text: string) => reply(socks5, http, 'http_request_error', text);
const limitReached = (http: number, text: string, retryAfterSeconds: number) =>
  reply(1, http, 'connection_limit_reached', text, retryAfterSeconds);
const gatewayFailed = (http: number, text: string, retryAfterSeconds?: number) =>
  reply(1, http, 'proxy_internal_error', text, retryAfterSeconds);
const exitFailed = (text: string) => reply(1, 503, 'destination_unavailable', text);

/** All causes for which a request for a tunnel can fail, with the reply to the client: the only table of wire codes. */
export const failureReplies = {
  'invalid-credentials': reply('login-failed', 407, undefined, 'Proxy credentials are missing or wrong.'),
  'address-ambiguous': reply(
    'login-failed',
    407,
    undefined,
    'Several connections list your address: a password is required.',
  ),
  'ended-no-money': denied(2, 402, 'This connection has ended: the balance has run out.'),
  'ended-by-user': denied(2, 403, 'This connection has ended: its owner has disconnected it.'),
  'ended-by-staff': denied(2, 403, 'This connection has ended: the support team has disconnected it.'),
  'ended-idle': denied(2, 403, 'This connection has ended: there was no traffic for too long.'),
  'ended-exit-lost': denied(1, 403, 'This connection has ended: the proxy has gone offline.'),
  'ended-at-cap': denied(2, 403, 'This connection has ended: its traffic cap was reached.'),
  ended: denied(2, 403, 'This connection has ended.'),
  'too-many-failed-logins': denied('login-failed', 429, 'Too many failed logins from this address.', 300),
  'no-credit': denied(2, 402, 'No credit is left.'),
  'cap-reached': denied(2, 403, 'The traffic cap of this connection is reached.'),
  'destination-prohibited': reply(2, 403, 'destination_ip_prohibited', 'This destination is not allowed.'),
  'destination-refused': denied(2, 403, 'The operator of this service does not allow this destination.'),
  'port-prohibited': denied(2, 403, 'This port is not allowed.'),
  'connection-limit': limitReached(429, 'Too many tunnels on this connection.', 1),
  'node-full': limitReached(503, 'This gateway has no room for another tunnel.', 5),
  'fair-share-exceeded': limitReached(
    503,
    'This gateway is almost full, and this connection has its share of tunnels.',
    5,
  ),
  'descriptors-exhausted': gatewayFailed(503, 'This gateway has no room for another tunnel.', 5),
  draining: gatewayFailed(503, 'This gateway is about to stop.', 5),
  'control-plane-unavailable': gatewayFailed(503, 'Credentials cannot be checked at the moment.', 5),
  internal: gatewayFailed(500, 'The gateway failed.'),
  'name-not-found': reply(4, 502, 'dns_error', 'The host name has no address.'),
  'dns-timeout': reply(4, 504, 'dns_timeout', 'The name server did not answer.'),
  'network-unreachable': reply(3, 502, 'destination_ip_unroutable', 'The network is unreachable.'),
  'host-unreachable': reply(4, 502, 'destination_ip_unroutable', 'The host is unreachable.'),
  'connection-refused': reply(5, 502, 'connection_refused', 'The destination refused the connection.'),
  'connection-terminated': reply(1, 502, 'connection_terminated', 'The destination closed the connection early.'),
  'origin-requires-proxy-auth': reply(1, 502, 'http_protocol_error', 'The destination answered as if it were a proxy.'),
  'response-malformed': reply(1, 502, 'http_protocol_error', 'The destination sent a response that is not HTTP.'),
  'dial-timeout': reply(4, 504, 'connection_timeout', 'The destination did not answer in time.'),
  'exit-unavailable': exitFailed('The exit of this connection is not available.'),
  'upstream-unreachable': exitFailed('The exit of this connection cannot be reached.'),
  'upstream-timeout': exitFailed('The exit of this connection did not answer in time.'),
  'upstream-auth-failed': exitFailed('The exit of this connection does not let the gateway in.'),
  'upstream-malformed': exitFailed('The exit of this connection answered in another protocol.'),
  'upstream-closed': exitFailed('The exit of this connection closed it before the destination was connected.'),
  'upstream-failed': exitFailed('The exit of this connection could not connect, and did not say why.'),
  'upstream-refused': denied(2, 403, 'The exit of this connection does not allow this destination.'),
  'udp-unsupported': badRequest(7, 400, 'The exit of this connection carries no UDP.'),
  'command-unsupported': badRequest(7, 400, 'This command is not supported.'),
  'address-type': badRequest(8, 400, 'This address type is not supported.'),
  malformed: badRequest(1, 400, 'The request is malformed.'),
  'not-absolute': badRequest(1, 400, 'This is a proxy: the request target must be an absolute http address.'),
  'connect-required': badRequest(1, 400, 'For https use CONNECT.'),
  'connect-not-first': badRequest(1, 400, 'CONNECT needs a connection that has carried no other request.'),
  'tls-unsupported': badRequest(1, 400, 'This port does not speak TLS.'),
  'too-many-tls-handshakes': limitReached(503, 'Too many TLS handshakes from this network.', 5),
  /** The library sends the alert, and then nothing can be sent. */
  'tls-failed': badRequest(1, 400, 'The TLS handshake failed.'),
  'transfer-coding': badRequest(1, 501, 'This transfer coding is not supported.'),
  'head-too-large': badRequest(1, 431, 'The request head is too large.'),
  'handshake-timeout': badRequest(1, 408, 'The request took too long.'),
  'http-version': badRequest(1, 505, 'This HTTP version is not supported.'),
  /** The client has disconnected, so no reply is sent. */
  'client-closed': reply(1, 400, undefined, 'The client closed the connection.'),
} as const satisfies Record<string, FailureReply>;

export type FailureCause = keyof typeof failureReplies;

/** The upstream proxy itself does not work, so the next address of the destination would fail as well. */
const downCauses: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-auth-failed',
  'upstream-malformed',
]);

export const isUpstreamDown = (cause: FailureCause): boolean => downCauses.has(cause);

/** What the owner of the connection reads instead: the details of an exit or a node are of no use to them. */
const reasonsOfOthers: Partial<Record<FailureCause, RefusalReason>> = {
  'descriptors-exhausted': 'node-full',
  'upstream-unreachable': 'exit-unavailable',
  'upstream-timeout': 'exit-unavailable',
  'upstream-auth-failed': 'exit-unavailable',
  'upstream-malformed': 'exit-unavailable',
  'upstream-closed': 'exit-unavailable',
  'upstream-failed': 'exit-unavailable',
};
const ownReasons: ReadonlyMap<FailureCause, RefusalReason> = new Map(
  refusalReasons.map((reason) => [reason satisfies FailureCause, reason]),
);

/** The refusal that the owner of the connection sees; undefined for failures of destinations and of requests. */
export const refusalReason = (cause: FailureCause): RefusalReason | undefined =>
  ownReasons.get(cause) ?? reasonsOfOthers[cause];

/** An expected failure to open a tunnel. */
export class TunnelFailure extends Error {
  /** @param code the status or reply code of an upstream proxy, for staff */
  constructor(
    readonly failure: FailureCause,
    readonly code?: number,
  ) {
    super(failureReplies[failure].text);
    this.name = 'TunnelFailure';
  }
}

/** REP of the reply to a SOCKS5 request (RFC 1928, section 6). */
export function socks5Reply(cause: FailureCause): number {
  const { socks5 } = failureReplies[cause];
  return socks5 === 'login-failed' ? GENERAL_FAILURE : socks5;
}

/** CD of a SOCKS4 reply, which distinguishes only logins. */
export const socks4Code = (cause: FailureCause): number =>
  failureReplies[cause].socks5 === 'login-failed' ? SOCKS4_LOGIN_FAILED : SOCKS4_REFUSED;

/** Any other error is a bug of the gateway. */
export const toCause = (error: unknown): FailureCause => (error instanceof TunnelFailure ? error.failure : 'internal');

const PROXY_NAME = 'gateway';

/** Status, fields and body of the gateway's own response, not of forwarded ones. */
export function httpFailure(cause: FailureCause): { status: number; fields: Record<string, string>; body: string } {
  const { http: status, text, proxyStatus, retryAfterSeconds } = failureReplies[cause];
  const body = `${text}\n`;
  const fields: Record<string, string> = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
  };
  if (status === 407) fields['Proxy-Authenticate'] = 'Basic realm="proxy", charset="UTF-8"';
  if (proxyStatus !== undefined) {
    const reason = refusalReason(cause);
    const details = reason === undefined ? '' : `; details="${reason}"`;
    fields['Proxy-Status'] = `${PROXY_NAME}; error=${proxyStatus}${details}`;
  }
  if (retryAfterSeconds !== undefined) fields['Retry-After'] = String(retryAfterSeconds);
  return { status, fields, body };
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
export function toDialFailure(error: unknown): TunnelFailure {
  if (error instanceof TunnelFailure) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new TunnelFailure(causesOfSystemErrors[code] ?? 'exit-unavailable');
}
