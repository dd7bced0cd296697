import { createServer, type Server, type Socket } from 'node:net';
import type { GatewayContext } from '../context.ts';
import { needMore, parsedMessage } from '../protocol/parsed.ts';
import { SOCKS5_VERSION } from '../protocol/socks5.ts';
import { causeOf, TunnelFailure } from '../statuses.ts';
import { Handshake } from './handshake.ts';
import { serveHttpConnect } from './http-connect.ts';
import type { HttpProxy } from './http-proxy.ts';
import { serveSocks5 } from './socks5.ts';

const UPPER_CASE_A = 0x41;
const UPPER_CASE_Z = 0x5a;

export interface PublicPort {
  readonly server: Server;
  /** Cuts everything that has not become a tunnel. */
  cut(): void;
}

/** The one port that customers know: the first byte tells SOCKS5 from HTTP. */
export function createPublicPort(context: GatewayContext, httpProxy: HttpProxy): PublicPort {
  const { limits, log, metrics } = context;
  const halfOpen = new Set<Socket>();
  const halfOpenByAddress = new Map<string, number>();
  metrics.watch('gateway_half_open', 'Clients whose handshake is not complete', () => halfOpen.size);

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    // Every later owner adds its own listener; this one keeps a reset between two owners from being fatal.
    socket.on('error', () => socket.destroy());
    const address = socket.remoteAddress ?? '';
    const fromAddress = halfOpenByAddress.get(address) ?? 0;
    if (halfOpen.size >= limits.halfOpenPerNode || fromAddress >= limits.halfOpenPerAddress) {
      metrics.refusals.inc({ reason: 'half-open-limit' });
      socket.resetAndDestroy();
      return;
    }
    halfOpen.add(socket);
    halfOpenByAddress.set(address, fromAddress + 1);
    void serve(socket, () => {
      if (!halfOpen.delete(socket)) return;
      const left = (halfOpenByAddress.get(address) ?? 1) - 1;
      if (left > 0) halfOpenByAddress.set(address, left);
      else halfOpenByAddress.delete(address);
    });
  });

  async function serve(socket: Socket, completed: () => void): Promise<void> {
    const handshake = new Handshake(socket, limits);
    const deadline = setTimeout(() => handshake.fail(new TunnelFailure('handshake-slow')), limits.handshakeMs);
    const authenticated = () => {
      clearTimeout(deadline);
      completed();
      metrics.handshakeSeconds.observe((performance.now() - handshake.acceptedAt) / 1000);
    };
    try {
      await chooseProtocol(handshake, authenticated);
    } catch (error) {
      refused(handshake, error);
    } finally {
      clearTimeout(deadline);
      completed();
    }
  }

  async function chooseProtocol(handshake: Handshake, authenticated: () => void): Promise<void> {
    const firstByte = await handshake.read((bytes) => (bytes[0] === undefined ? needMore : parsedMessage(bytes[0], 0)));
    if (firstByte === SOCKS5_VERSION) return serveSocks5(context, handshake, authenticated);
    const isHttp = firstByte >= UPPER_CASE_A && firstByte <= UPPER_CASE_Z;
    if (!isHttp) throw new TunnelFailure('malformed');
    return serveHttpConnect(context, httpProxy, handshake, authenticated);
  }

  /** The listeners answer what their protocol has words for; what arrives here just closes. */
  function refused({ socket, clientAddress }: Handshake, error: unknown): void {
    const cause = causeOf(error);
    metrics.refusals.inc({ reason: cause });
    if (cause === 'internal') log.error({ err: error }, 'A handshake failed');
    else if (cause !== 'client-gone') log.info({ cause, clientAddress }, 'Client refused');
    socket.destroy();
  }

  return {
    server,
    cut: () => {
      for (const socket of halfOpen) socket.destroy();
      httpProxy.cut();
    },
  };
}
