import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { inBackground } from '../background.ts';
import { openTunnel, waitingStream } from '../flows/tunnel.ts';
import { logInOverHttp } from '../listeners/authenticate.ts';
import type { ClientSocket } from '../listeners/client-socket.ts';
import type { HttpProxy } from '../listeners/http-proxy.ts';
import type { ListenerContext } from '../listeners/listener-context.ts';
import { parseAuthority } from '../protocol/host.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import { forwardRequest } from './forwarded-request.ts';
import { Http2Client } from './http2-client.ts';
import { Http2Side } from './http2-side.ts';
import { MemorySocket } from './memory-socket.ts';
import { StreamClient } from './stream-client.ts';
import { StreamReader } from './stream-reader.ts';
import { refuseStream } from './streams.ts';

interface Request {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

export interface Http2Proxy {
  /** Serves a client after its TLS handshake. */
  serve(client: ClientSocket): void;
  /** Tells all clients to open no more streams. */
  drain(): void;
}

/** One timer for all clients, while there are any. */
class Checks {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly clients: Set<Http2Client>,
    private readonly everyMs: number,
  ) {}

  add(client: Http2Client): void {
    const { clients } = this;
    clients.add(client);
    this.#timer ??= setInterval(() => clients.forEach((each) => each.checkOverhead()), this.everyMs).unref();
    client.client.socket.once('close', () => {
      clients.delete(client);
      if (clients.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }
}

/** HTTP/2 to the proxy (RFC 9113): a tunnel for each stream with CONNECT, and requests. Each stream authenticates by itself. */
export function createHttp2Proxy(context: ListenerContext, httpProxy: HttpProxy): Http2Proxy {
  const { limits, log, metrics } = context;
  const clients = new Set<Http2Client>();
  metrics.watch('gateway_http2_clients', 'Clients that speak HTTP/2 to the proxy', () => clients.size);
  const checks = new Checks(clients, limits.http2OverheadCheckMs);

  function serve(socket: ClientSocket): void {
    const client = new Http2Client(socket, limits, (kind) => {
      metrics.http2Floods.inc({ kind });
      log.debug({ kind, clientAddress: client.address }, 'A client floods its connection');
    });
    checks.add(client);
    client.session.on('stream', (stream, headers, _flags, rawHeaders) => {
      client.streamOpened();
      stream.once('close', () => client.streamClosed());
      inBackground(log, 'stream', serveStream(client, stream, { headers, rawHeaders: rawHeaders }));
    });
  }

  async function serveStream(client: Http2Client, stream: ServerHttp2Stream, request: Request): Promise<void> {
    const reader = new StreamReader(stream, limits.http2WindowBytes, client.overhead);
    try {
      if (request.headers[':method'] === 'CONNECT') await connect(client, stream, reader, request.headers);
      else forward(client, stream, reader, request);
    } catch (error) {
      const cause = toCause(error);
      if (cause === 'internal') log.error({ err: error }, 'A stream failed');
      else log.debug({ cause, clientAddress: client.address }, 'Stream refused');
      if (cause !== 'client-closed') metrics.refusals.inc({ reason: cause });
      refuseStream(stream, cause, limits);
    }
  }

  async function connect(
    client: Http2Client,
    stream: ServerHttp2Stream,
    reader: StreamReader,
    headers: IncomingHttpHeaders,
  ): Promise<void> {
    const target = parseAuthority(headers[':authority'] ?? '');
    if (!target) throw new TunnelFailure('malformed');
    const login = await client.inTurn(async () => {
      if (stream.destroyed) throw new TunnelFailure('client-closed');
      return logInOverHttp(context, client.client, headers['proxy-authorization']);
    });
    if (stream.destroyed) throw new TunnelFailure('client-closed');
    client.authenticated(login.connection);
    const waiting = waitingStream(stream, false);
    const { tunnel, exit } = await openTunnel(context, login, 'http-connect', { target, client: waiting });
    if (!stream.destroyed) stream.respond({ ':status': constants.HTTP_STATUS_OK });
    const side = new Http2Side(stream, reader, limits, client.overhead);
    tunnel.join({ client: side, exit: exit.side, early: Buffer.alloc(0) });
  }

  /** The server of requests in absolute form serves it at the other end of a connection in memory. */
  function forward(client: Http2Client, stream: ServerHttp2Stream, reader: StreamReader, request: Request): void {
    const [near, far] = MemorySocket.pair();
    forwardRequest(stream, reader, request, { socket: near, overhead: client.overhead, limits });
    httpProxy.adopt(new StreamClient(client, far), Buffer.alloc(0));
  }

  return {
    serve,
    drain: () => {
      for (const client of clients) client.drain();
    },
  };
}
