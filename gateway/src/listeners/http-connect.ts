import { type ConnectHead, parseConnectHead, parseMethod } from '../protocol/http-connect.ts';
import { encodeHttpFailure, TunnelFailure } from '../statuses.ts';
import { openTunnel } from '../flows/tunnel.ts';
import type { Handshake } from './handshake.ts';
import { logInOverHttp } from './authenticate.ts';
import type { HttpProxy } from './http-proxy.ts';
import type { ListenerContext } from './listener-context.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/**
 * Serves CONNECT; hands clients with other methods over to the HTTP proxy.
 * @throws TunnelFailure
 */
export async function serveHttpConnect(
  context: ListenerContext,
  httpProxy: HttpProxy,
  handshake: Handshake,
): Promise<void> {
  const { client } = handshake;
  handshake.encodeRefusal = encodeHttpFailure;
  const method = await handshake.read(parseMethod);
  // The preface of HTTP/2, whose clients wait for a server that speaks it.
  if (method === 'PRI') throw new TunnelFailure('http-version');
  if (method !== 'CONNECT') return httpProxy.adopt(client, handshake.release());
  const head = await handshake.read((bytes) => parseConnectHead(bytes, context.limits));
  await connectTunnel(context, handshake, head);
}

async function connectTunnel(
  context: ListenerContext,
  handshake: Handshake,
  { target, proxyAuthorization }: ConnectHead,
): Promise<void> {
  const { client } = handshake;
  const login = await handshake.withinDeadline(logInOverHttp(context, client, proxyAuthorization));
  client.authenticated(login.connection);
  const early = handshake.release();
  const request = { target, client: client.socket, early };
  const { tunnel, exit } = await openTunnel(context, login, 'http-connect', request);
  // A 2xx response to CONNECT has neither Content-Length nor Transfer-Encoding (RFC 9110, section 9.3.6).
  client.socket.write(ESTABLISHED);
  tunnel.join({ client: client.toSide(), exit: exit.side, early });
}
