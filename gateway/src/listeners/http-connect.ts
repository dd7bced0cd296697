import type { GatewayContext } from '../context.ts';
import { parseBasicCredentials } from '../protocol/basic-auth.ts';
import { type ConnectHead, parseConnectHead, parseMethod } from '../protocol/http-connect.ts';
import { causeOf, encodeHttpFailure, TunnelFailure } from '../statuses.ts';
import { openTunnel } from '../tunnel.ts';
import { authenticate } from './authenticate.ts';
import { closeWithAnswer, type Handshake } from './handshake.ts';
import type { HttpProxy } from './http-proxy.ts';
import { startRelay } from './start-relay.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Serves CONNECT itself and passes clients with any other method to the HTTP proxy. */
export async function serveHttpConnect(
  context: GatewayContext,
  httpProxy: HttpProxy,
  handshake: Handshake,
  done: () => void,
): Promise<void> {
  const { socket } = handshake;
  try {
    const method = await handshake.read(parseMethod);
    if (method !== 'CONNECT') {
      return await httpProxy.adopt(socket, handshake.release(), done);
    }
    const head = await handshake.read((bytes) => parseConnectHead(bytes, context.limits));
    await connectTunnel(context, handshake, head, done);
  } catch (error) {
    const cause = causeOf(error);
    if (cause === 'internal' || cause === 'client-gone') throw error;
    context.log.debug({ cause, clientAddress: handshake.clientAddress }, 'CONNECT refused');
    handshake.release();
    closeWithAnswer(socket, encodeHttpFailure(cause), context.limits.lingerMs);
  }
}

async function connectTunnel(
  context: GatewayContext,
  handshake: Handshake,
  { target, proxyAuthorization }: ConnectHead,
  done: () => void,
): Promise<void> {
  const credentials = parseBasicCredentials(proxyAuthorization);
  if (!credentials) throw new TunnelFailure('credentials-wrong');
  const connection = await authenticate(context, handshake.clientAddress, credentials);
  done();
  const early = handshake.release();
  const { tunnel, exit } = await openTunnel(context, connection, 'http-connect', target);
  // No length and no coding in a 2xx answer to CONNECT (RFC 9110, section 9.3.6).
  handshake.socket.write(ESTABLISHED);
  startRelay(context, tunnel, { client: handshake.socket, exit, early });
}
