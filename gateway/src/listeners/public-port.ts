import { createServer, type Server } from 'node:net';
import { inBackground } from '../background.ts';
import { needMore, type Parsed, parsedMessage } from '../protocol/message-reader.ts';
import { SOCKS4_VERSION } from '../protocol/socks4.ts';
import { SOCKS5_VERSION } from '../protocol/socks5.ts';
import { TLS_ALERT, TLS_HANDSHAKE } from '../protocol/tls.ts';
import { encodeHttpFailure, toCause, TunnelFailure } from '../statuses.ts';
import { Handshake } from './handshake.ts';
import { serveHttpConnect } from './http-connect.ts';
import type { HttpProxy } from './http-proxy.ts';
import type { ListenerContext } from './listener-context.ts';
import { serveSocks4 } from './socks4.ts';
import { serveSocks5 } from './socks5.ts';

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const UPPER_CASE_A = 0x41;
const UPPER_CASE_Z = 0x5a;

export interface PublicPort {
  readonly server: Server;
  /** Closes all client sockets without a tunnel or a running request. @returns when they are closed */
  closeWaiting(): Promise<void>;
}

/** The first byte distinguishes SOCKS5, SOCKS4, HTTP and TLS. No client is refused by a silent close, but in its own protocol. */
export function createPublicPort(context: ListenerContext, httpProxy: HttpProxy): PublicPort {
  const { limits, log, metrics, clients } = context;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const client = clients.accept(socket);
    if (client) inBackground(log, 'client', serve(new Handshake(client, limits)));
  });

  async function serve(handshake: Handshake): Promise<void> {
    try {
      await chooseProtocol(handshake);
    } catch (error) {
      refuse(handshake, error);
    }
  }

  async function chooseProtocol(handshake: Handshake): Promise<void> {
    let firstByte = await handshake.read(peekByte);
    if (firstByte === SOCKS5_VERSION) return serveSocks5(context, handshake);
    if (firstByte === SOCKS4_VERSION) return serveSocks4(context, handshake);
    if (firstByte === TLS_HANDSHAKE) {
      handshake.encodeRefusal = () => TLS_ALERT;
      throw new TunnelFailure('tls-unsupported');
    }
    // A response of HTTP is text, which the user of another protocol can read too.
    handshake.encodeRefusal = encodeHttpFailure;
    // Empty lines before a request are ignored (RFC 9112, section 2.2). They are not kept, and the handshake has a deadline.
    while (isLineEnd(firstByte)) {
      await handshake.read(parseLineEnds);
      firstByte = await handshake.read(peekByte);
    }
    if (firstByte < UPPER_CASE_A || firstByte > UPPER_CASE_Z) throw new TunnelFailure('malformed');
    return serveHttpConnect(context, httpProxy, handshake);
  }

  /** The reply of the protocol to every failure before a tunnel or an HTTP request: no client is closed without a word. */
  function refuse(handshake: Handshake, error: unknown): void {
    const { client } = handshake;
    const cause = toCause(error);
    if (client.isReset) return; // Evicted by a limit, which was counted there.
    metrics.refusals.inc({ reason: cause });
    if (cause === 'internal') log.error({ err: error }, 'A handshake failed');
    else log.debug({ cause, clientAddress: client.address }, 'Client refused');
    const reply = cause === 'client-closed' ? '' : handshake.encodeRefusal(cause);
    handshake.release();
    if (reply.length === 0) client.socket.destroy();
    else client.closeGracefully(reply);
  }

  return { server, closeWaiting: () => clients.closeWaiting() };
}

const peekByte = (bytes: Buffer): Parsed<number> => (bytes[0] === undefined ? needMore : parsedMessage(bytes[0], 0));

const isLineEnd = (byte: number) => byte === CARRIAGE_RETURN || byte === LINE_FEED;

/** Consumes the line ends that have arrived. */
function parseLineEnds(bytes: Buffer): Parsed<undefined> {
  const start = bytes.findIndex((byte) => !isLineEnd(byte));
  return parsedMessage(undefined, start < 0 ? bytes.length : start);
}
