import { type ConnectHead, parseConnectHead, parseMethod } from '../protocol/http-connect.ts';
import { encodeHttpFailure, TunnelFailure } from '../statuses.ts';
import { openTunnel } from '../flows/tunnel.ts';
import type { Handshake, Steps } from './handshake.ts';
import { logInOverHttp } from './authenticate.ts';
import type { HttpProxy } from './http-proxy.ts';
import type { ListenerContext } from './listener-context.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/**
 * Serves CONNECT; hands clients with other methods over to the HTTP proxy.
 * @throws TunnelFailure
 */
export function* serveHttpConnect(context: ListenerContext, httpProxy: HttpProxy, handshake: Handshake): Steps {
  const { client } = handshake;
  handshake.encodeRefusal = encodeHttpFailure;
  const method = yield* handshake.read(parseMethod);
  // The preface of HTTP/2, whose clients wait for a server that speaks it.
  if (method === 'PRI') throw new TunnelFailure('http-version');
  if (method !== 'CONNECT') return httpProxy.adopt(client, handshake.release());
  const head = yield* handshake.read((bytes) => parseConnectHead(bytes, context.limits));
  yield* connectTunnel(context, handshake, head);
}

function* connectTunnel(
  context: ListenerContext,
  handshake: Handshake,
  { target, proxyAuthorization }: ConnectHead,
): Steps {
  const { client } = handshake;
  const login = yield* handshake.withinDeadline(logInOverHttp(context, client, proxyAuthorization));
  client.authenticated(login.connection);
  const early = handshake.release();
  const waiting = client.transport.waiting(early.length === 0);
  const opening = openTunnel(context, login, 'http-connect', { target, client: waiting });
  const { tunnel, exit } = yield* handshake.finish(opening);
  // A 2xx response to CONNECT has neither Content-Length nor Transfer-Encoding (RFC 9110, section 9.3.6).
  client.transport.write(ESTABLISHED);
  tunnel.join({ client: client.toSide(), exit: exit.side, early });
}
