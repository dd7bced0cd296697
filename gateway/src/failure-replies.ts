/** All causes for which a request for a tunnel can fail, with the reply to the client: the only table of wire codes. */
export interface FailureReply {
  /**
   * REP field of RFC 1928, section 6; `login-failed`: status 1 of RFC 1929, or no acceptable method; `close` if the protocol
   * has no code for it.
   */
  readonly socks5: number | 'login-failed' | 'close';
  readonly http: number;
  readonly text: string;
  /** Error type of RFC 9209, section 2.3. */
  readonly proxyStatus?: string;
  readonly retryAfterSeconds?: number;
}

export const failureReplies = {
  'invalid-credentials': { socks5: 'login-failed', http: 407, text: 'Proxy credentials are missing or wrong.' },
  'address-ambiguous': {
    socks5: 'login-failed',
    http: 407,
    text: 'Several connections list your address: a password is required.',
  },
  'ended-no-money': {
    socks5: 'login-failed',
    http: 402,
    text: 'This connection has ended: the balance has run out.',
    proxyStatus: 'http_request_denied',
  },
  'ended-by-user': {
    socks5: 'login-failed',
    http: 403,
    text: 'This connection has ended: its owner has disconnected it.',
    proxyStatus: 'http_request_denied',
  },
  'ended-by-staff': {
    socks5: 'login-failed',
    http: 403,
    text: 'This connection has ended: the support team has disconnected it.',
    proxyStatus: 'http_request_denied',
  },
  'ended-idle': {
    socks5: 'login-failed',
    http: 403,
    text: 'This connection has ended: there was no traffic for too long.',
    proxyStatus: 'http_request_denied',
  },
  'ended-exit-lost': {
    socks5: 'login-failed',
    http: 403,
    text: 'This connection has ended: the proxy has gone offline.',
    proxyStatus: 'http_request_denied',
  },
  'ended-at-cap': {
    socks5: 'login-failed',
    http: 403,
    text: 'This connection has ended: its traffic cap was reached.',
    proxyStatus: 'http_request_denied',
  },
  ended: {
    socks5: 'login-failed',
    http: 403,
    text: 'This connection has ended.',
    proxyStatus: 'http_request_denied',
  },
  'too-many-failed-logins': {
    socks5: 'close',
    http: 429,
    text: 'Too many failed logins from this address.',
    proxyStatus: 'http_request_denied',
    retryAfterSeconds: 300,
  },
  'no-credit': { socks5: 2, http: 402, text: 'No credit is left.', proxyStatus: 'http_request_denied' },
  'cap-reached': {
    socks5: 2,
    http: 403,
    text: 'The traffic cap of this connection is reached.',
    proxyStatus: 'http_request_denied',
  },
  'destination-prohibited': {
    socks5: 2,
    http: 403,
    text: 'This destination is not allowed.',
    proxyStatus: 'destination_ip_prohibited',
  },
  'connection-limit': {
    socks5: 1,
    http: 429,
    text: 'Too many tunnels on this connection.',
    proxyStatus: 'connection_limit_reached',
    retryAfterSeconds: 1,
  },
  'node-full': {
    socks5: 1,
    http: 503,
    text: 'This gateway has no room for another tunnel.',
    proxyStatus: 'connection_limit_reached',
    retryAfterSeconds: 5,
  },
  'fair-share-exceeded': {
    socks5: 1,
    http: 503,
    text: 'This gateway is almost full, and this connection has its share of tunnels.',
    proxyStatus: 'connection_limit_reached',
    retryAfterSeconds: 5,
  },
  'descriptors-exhausted': {
    socks5: 1,
    http: 503,
    text: 'This gateway has no room for another tunnel.',
    proxyStatus: 'proxy_internal_error',
    retryAfterSeconds: 5,
  },
  draining: {
    socks5: 1,
    http: 503,
    text: 'This gateway is about to stop.',
    proxyStatus: 'proxy_internal_error',
    retryAfterSeconds: 5,
  },
  'control-plane-unavailable': {
    socks5: 1,
    http: 503,
    text: 'Credentials cannot be checked at the moment.',
    proxyStatus: 'proxy_internal_error',
    retryAfterSeconds: 5,
  },
  internal: { socks5: 1, http: 500, text: 'The gateway failed.', proxyStatus: 'proxy_internal_error' },
  'name-not-found': { socks5: 4, http: 502, text: 'The host name has no address.', proxyStatus: 'dns_error' },
  'dns-timeout': { socks5: 4, http: 504, text: 'The name server did not answer.', proxyStatus: 'dns_timeout' },
  'network-unreachable': {
    socks5: 3,
    http: 502,
    text: 'The network is unreachable.',
    proxyStatus: 'destination_ip_unroutable',
  },
  'host-unreachable': {
    socks5: 4,
    http: 502,
    text: 'The host is unreachable.',
    proxyStatus: 'destination_ip_unroutable',
  },
  'connection-refused': {
    socks5: 5,
    http: 502,
    text: 'The destination refused the connection.',
    proxyStatus: 'connection_refused',
  },
  'connection-terminated': {
    socks5: 1,
    http: 502,
    text: 'The destination closed the connection early.',
    proxyStatus: 'connection_terminated',
  },
  'origin-requires-proxy-auth': {
    socks5: 1,
    http: 502,
    text: 'The destination answered as if it were a proxy.',
    proxyStatus: 'http_protocol_error',
  },
  'response-malformed': {
    socks5: 1,
    http: 502,
    text: 'The destination sent a response that is not HTTP.',
    proxyStatus: 'http_protocol_error',
  },
  'dial-timeout': {
    socks5: 4,
    http: 504,
    text: 'The destination did not answer in time.',
    proxyStatus: 'connection_timeout',
  },
  'exit-unavailable': {
    socks5: 1,
    http: 503,
    text: 'The exit of this connection is not available.',
    proxyStatus: 'destination_unavailable',
  },
  'upstream-unreachable': {
    socks5: 1,
    http: 503,
    text: 'The exit of this connection cannot be reached.',
    proxyStatus: 'destination_unavailable',
  },
  'upstream-timeout': {
    socks5: 1,
    http: 503,
    text: 'The exit of this connection did not answer in time.',
    proxyStatus: 'destination_unavailable',
  },
  'upstream-auth-failed': {
    socks5: 1,
    http: 503,
    text: 'The exit of this connection does not let the gateway in.',
    proxyStatus: 'destination_unavailable',
  },
  'upstream-malformed': {
    socks5: 1,
    http: 503,
    text: 'The exit of this connection answered in another protocol.',
    proxyStatus: 'destination_unavailable',
  },
  'upstream-closed': {
    socks5: 1,
    http: 503,
    text: 'The exit of this connection closed it before the destination was connected.',
    proxyStatus: 'destination_unavailable',
  },
  'upstream-failed': {
    socks5: 1,
    http: 503,
    text: 'The exit of this connection could not connect, and did not say why.',
    proxyStatus: 'destination_unavailable',
  },
  'upstream-refused': {
    socks5: 2,
    http: 403,
    text: 'The exit of this connection does not allow this destination.',
    proxyStatus: 'http_request_denied',
  },
  'udp-unsupported': {
    socks5: 7,
    http: 400,
    text: 'The exit of this connection carries no UDP.',
    proxyStatus: 'http_request_error',
  },
  'command-unsupported': {
    socks5: 7,
    http: 400,
    text: 'This command is not supported.',
    proxyStatus: 'http_request_error',
  },
  'address-type': {
    socks5: 8,
    http: 400,
    text: 'This address type is not supported.',
    proxyStatus: 'http_request_error',
  },
  malformed: { socks5: 'close', http: 400, text: 'The request is malformed.', proxyStatus: 'http_request_error' },
  'not-absolute': {
    socks5: 'close',
    http: 400,
    text: 'This is a proxy: the request target must be an absolute http address.',
    proxyStatus: 'http_request_error',
  },
  'connect-required': {
    socks5: 'close',
    http: 400,
    text: 'For https use CONNECT.',
    proxyStatus: 'http_request_error',
  },
  'connect-not-first': {
    socks5: 'close',
    http: 400,
    text: 'CONNECT needs a connection that has carried no other request.',
    proxyStatus: 'http_request_error',
  },
  'upgrade-with-body': {
    socks5: 'close',
    http: 400,
    text: 'A request to change the protocol must have no body.',
    proxyStatus: 'http_request_error',
  },
  'transfer-coding': {
    socks5: 'close',
    http: 501,
    text: 'This transfer coding is not supported.',
    proxyStatus: 'http_request_error',
  },
  'head-too-large': {
    socks5: 'close',
    http: 431,
    text: 'The request head is too large.',
    proxyStatus: 'http_request_error',
  },
  'handshake-timeout': {
    socks5: 'close',
    http: 408,
    text: 'The request took too long.',
    proxyStatus: 'http_request_error',
  },
  'http-version': {
    socks5: 'close',
    http: 505,
    text: 'This HTTP version is not supported.',
    proxyStatus: 'http_request_error',
  },
  /** The client has disconnected, so no reply is sent. */
  'client-closed': { socks5: 'close', http: 400, text: 'The client closed the connection.' },
} as const satisfies Record<string, FailureReply>;

export type FailureCause = keyof typeof failureReplies;
