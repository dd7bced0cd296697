import type { Server } from 'node:net';
import { needMore, type Parsed, parsedMessage } from '../protocol/message-reader.ts';
import { SOCKS4_VERSION } from '../protocol/socks4.ts';
import { SOCKS5_VERSION } from '../protocol/socks5.ts';
import { TLS_HANDSHAKE, UNAVAILABLE_ALERT, UNSUPPORTED_ALERT } from '../protocol/tls.ts';
import { encodeHttpFailure, toCause, TunnelFailure } from '../statuses.ts';
import { createHttp2Proxy } from '../http2/http2-proxy.ts';
import { HandshakeRate } from '../tls/handshake-rate.ts';
import { openSecureSocket } from '../tls/secure-socket.ts';
import { createAcceptor } from './acceptor.ts';
import type { ClientSocket } from './client-socket.ts';
import { Handshake, type Steps } from './handshake.ts';
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
  /** Call it when the server listens: native code accepts from now on, if there is any. */
  listening(): void;
  /** Accepts no more clients, and no more streams of those that speak HTTP/2. */
  stopAccepting(): void;
  /** Closes all client sockets without a tunnel or a running request. @returns when they are closed */
  closeWaiting(): Promise<void>;
}

/** The first byte distinguishes SOCKS5, SOCKS4, HTTP and TLS. No client is refused by a silent close, but in its own protocol. */
export function createPublicPort(context: ListenerContext, httpProxy: HttpProxy): PublicPort {
  const { limits, log, clients, certificate } = context;
  const http2Proxy = createHttp2Proxy(context, httpProxy);
  const handshakeRate = new HandshakeRate(limits);
  const acceptor = createAcceptor(context, (transport) => {
    const client = clients.accept(transport);
    if (client) serve(client, chooseProtocol);
  });

  function serve(client: ClientSocket, speak: (handshake: Handshake) => Steps): void {
    const handshake = new Handshake(client, limits);
    handshake.run(speak(handshake), (error) => {
      try {
        refuse(context, handshake, error);
      } catch (fault) {
        log.error({ err: fault }, 'A client could not be refused');
        client.transport.destroy();
      }
    });
  }

  function* chooseProtocol(handshake: Handshake): Steps {
    const firstByte = yield* handshake.read(peekByte);
    if (firstByte === SOCKS5_VERSION) return yield* serveSocks5(context, handshake);
    if (firstByte === SOCKS4_VERSION) return yield* serveSocks4(context, handshake);
    if (firstByte === TLS_HANDSHAKE) return yield* serveTls(handshake);
    return yield* serveHttp(handshake, firstByte);
  }

  function* serveHttp(handshake: Handshake, firstByte: number): Steps {
    // A response of HTTP is text, which the user of another protocol can read too.
    handshake.encodeRefusal = encodeHttpFailure;
    // Empty lines before a request are ignored (RFC 9112, section 2.2). They are not kept, and the handshake has a deadline.
    let byte = firstByte;
    while (isLineEnd(byte)) {
      yield* handshake.read(parseLineEnds);
      byte = yield* handshake.read(peekByte);
    }
    if (byte < UPPER_CASE_A || byte > UPPER_CASE_Z) throw new TunnelFailure('malformed');
    return yield* serveHttpConnect(context, httpProxy, handshake);
  }

  /** HTTP alone: what SOCKS clients call TLS differs from one to the next. */
  function* serveTls(handshake: Handshake): Steps {
    const { client } = handshake;
    const { current } = certificate;
    handshake.encodeRefusal = () => (current ? UNAVAILABLE_ALERT : UNSUPPORTED_ALERT);
    if (!current) throw new TunnelFailure('tls-unsupported');
    if (!handshakeRate.allows(client.networks)) throw new TunnelFailure('too-many-tls-handshakes');
    // From now on the library sends alerts.
    handshake.encodeRefusal = () => '';
    const opened = openSecureSocket(client.socket, handshake.release(), current.context);
    const socket = yield* handshake.withinDeadline(opened);
    client.secured(socket);
    if (socket.alpnProtocol === 'h2') return http2Proxy.serve(client);
    serve(client, function* (inner) {
      return yield* serveHttp(inner, yield* inner.read(peekByte));
    });
  }

  function stopAccepting(): void {
    acceptor.stop();
    http2Proxy.drain();
  }

  const { server } = acceptor;
  return { server, listening: () => acceptor.listening(), stopAccepting, closeWaiting: () => clients.closeWaiting() };
}

/** The reply of the protocol to every failure before a tunnel or an HTTP request: no client is closed without a word. */
function refuse(
  { metrics, log }: Pick<ListenerContext, 'metrics' | 'log'>,
  handshake: Handshake,
  error: unknown,
): void {
  const { client } = handshake;
  const cause = toCause(error);
  if (client.isReset) return; // Evicted by a limit, which was counted there.
  metrics.refusals.inc({ reason: cause });
  if (cause === 'internal') log.error({ err: error }, 'A handshake failed');
  else log.debug({ cause, clientAddress: client.address }, 'Client refused');
  const reply = cause === 'client-closed' ? '' : handshake.encodeRefusal(cause);
  handshake.release();
  if (reply.length === 0) client.transport.destroy();
  else client.closeGracefully(reply);
}

const peekByte = (bytes: Buffer): Parsed<number> => (bytes[0] === undefined ? needMore : parsedMessage(bytes[0], 0));

const isLineEnd = (byte: number) => byte === CARRIAGE_RETURN || byte === LINE_FEED;

/** Consumes the line ends that have arrived. */
function parseLineEnds(bytes: Buffer): Parsed<undefined> {
  const start = bytes.findIndex((byte) => !isLineEnd(byte));
  return parsedMessage(undefined, start < 0 ? bytes.length : start);
}
