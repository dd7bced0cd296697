import { type ConnectHead, parseConnectHead, parseMethod } from '../protocol/http-connect.ts';
import { toCause, encodeHttpFailure } from '../statuses.ts';
import { openTunnel } from '../flows/tunnel.ts';
import type { Handshake } from './handshake.ts';
import { logInOverHttp } from './authenticate.ts';
import type { HttpProxy } from './http-proxy.ts';
import type { ListenerContext } from './listener-context.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Serves CONNECT; hands clients with other methods over to the HTTP proxy. */
export async function serveHttpConnect(
  context: ListenerContext,
  httpProxy: HttpProxy,
  handshake: Handshake,
): Promise<void> {
  const { client } = handshake;
  try {
    const method = await handshake.read(parseMethod);
    if (method !== 'CONNECT') return httpProxy.adopt(client, handshake.release());
    const head = await handshake.read((bytes) => parseConnectHead(bytes, context.limits));
    await connectTunnel(context, handshake, head);
  } catch (error) {
    const cause = toCause(error);
    if (cause === 'internal' || cause === 'client-closed') throw error;
    context.log.debug({ cause, clientAddress: client.address }, 'CONNECT refused');
    handshake.release();
    context.metrics.refusals.inc({ reason: cause });
    client.closeGracefully(encodeHttpFailure(cause));
  }
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
  tunnel.join({ client: client.toSide(), exit, early });
}
