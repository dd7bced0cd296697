import { createServer, type Server } from 'node:net';
import { inBackground } from '../background.ts';
import { needMore, parsedMessage } from '../protocol/message-reader.ts';
import { SOCKS5_VERSION } from '../protocol/socks5.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';
import { Handshake } from './handshake.ts';
import { serveHttpConnect } from './http-connect.ts';
import type { HttpProxy } from './http-proxy.ts';
import type { ListenerContext } from './listener-context.ts';
import { serveSocks5 } from './socks5.ts';

const UPPER_CASE_A = 0x41;
const UPPER_CASE_Z = 0x5a;

export interface PublicPort {
  readonly server: Server;
  /** Closes all client sockets without a tunnel or a running request. */
  closeWaiting(): void;
}

/** The public port: the first byte distinguishes SOCKS5 from HTTP. */
export function createPublicPort(context: ListenerContext, httpProxy: HttpProxy): PublicPort {
  const { limits, log, metrics, clients } = context;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const client = clients.accept(socket);
    if (client) inBackground(log, 'client', serve(client));
  });

  async function serve(client: ClientSocket): Promise<void> {
    const handshake = new Handshake(client, limits);
    try {
      await chooseProtocol(handshake);
    } catch (error) {
      handleFailure(client, error);
    }
  }

  async function chooseProtocol(handshake: Handshake): Promise<void> {
    const firstByte = await handshake.read((bytes) => (bytes[0] === undefined ? needMore : parsedMessage(bytes[0], 0)));
    if (firstByte === SOCKS5_VERSION) return serveSocks5(context, handshake);
    const isHttp = firstByte >= UPPER_CASE_A && firstByte <= UPPER_CASE_Z;
    if (!isHttp) throw new TunnelFailure('malformed');
    return serveHttpConnect(context, httpProxy, handshake);
  }

  /** The listeners reply to failures for which their protocol has a code; all others close the socket here. */
  function handleFailure({ socket, address: clientAddress, isReset }: ClientSocket, error: unknown): void {
    const cause = toCause(error);
    if (isReset) return; // Evicted by a limit, which was counted there.
    metrics.refusals.inc({ reason: cause });
    if (cause === 'internal') log.error({ err: error }, 'A handshake failed');
    else if (cause !== 'client-closed') log.info({ cause, clientAddress }, 'Client refused');
    socket.destroy();
  }

  return { server, closeWaiting: () => clients.closeWaiting() };
}
