import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { inBackground } from '../background.ts';
import type { Limits } from '../limits.ts';
import { hasBody, valuesOf } from '../protocol/http-fields.ts';
import { ChunkedBoundary, LengthBoundary, type MessageBoundary } from '../protocol/message-boundary.ts';
import { encodeHttpFailure, type FailureCause } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';
import { Exchange } from './http-exchange.ts';
import type { ListenerContext } from './listener-context.ts';
import { RequestStream } from './request-stream.ts';

export interface HttpProxy {
  /** Serves a client that speaks anything but CONNECT. `early` is what it has sent. */
  adopt(client: ClientSocket, early: Buffer): void;
}

interface HttpClient {
  readonly client: ClientSocket;
  readonly stream: RequestStream;
  /** The request that is being answered. */
  current: Exchange | undefined;
}

const causesOfParserErrors: Record<string, FailureCause> = {
  HPE_HEADER_OVERFLOW: 'head-too-large',
  HPE_INVALID_VERSION: 'http-version',
};

/** Absolute-form requests, read by Node's own strict parser; no socket of ours listens here. */
export function createHttpProxy(context: ListenerContext): HttpProxy {
  const { limits, metrics, log } = context;
  const clients = new WeakMap<Duplex, HttpClient>();
  const server = createStrictServer(limits);

  server.on('request', serve);
  server.on('checkContinue', serve);
  // The origin is the one to meet an expectation, or not; Node would answer 417 itself.
  server.on('checkExpectation', serve);
  server.on('upgrade', (request: IncomingMessage, stream: Duplex) => serveUpgrade(request, stream));
  server.on('connect', (_: IncomingMessage, stream: Duplex) => refuse(stream, 'connect-too-late'));
  server.on('clientError', (error: NodeJS.ErrnoException, stream: Duplex) => {
    const isAnswerable = clients.get(stream)?.current === undefined && error.code !== 'ECONNRESET';
    if (isAnswerable) refuse(stream, causesOfParserErrors[error.code ?? ''] ?? 'malformed');
    else stream.destroy();
  });

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const own = clients.get(request.socket);
    // The stream passes one request at a time; a second would mean that the parser saw an end where the stream saw none.
    if (!own || own.current) return request.socket.destroy() && undefined;
    begin(own, request, response, false);
    const boundary = bodyBoundary(request);
    if (boundary) own.stream.bodyFollows(boundary);
  }

  /** Node gives no response object for an upgrade, because most servers write their own; the origin may refuse. */
  function serveUpgrade(request: IncomingMessage, stream: Duplex): void {
    const own = clients.get(stream);
    if (!own || own.current) return stream.destroy() && undefined;
    if (hasBody(request.rawHeaders)) return refuse(stream, 'upgrade-with-body');
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.once('finish', () => own.stream.end());
    begin(own, request, response, true);
  }

  function begin(own: HttpClient, request: IncomingMessage, response: ServerResponse, isUpgrade: boolean): void {
    const { client, stream } = own;
    client.requestBegan();
    response.sendDate = false;
    response.once('close', () => {
      own.current = undefined;
      client.awaitRequest(() => stream.end());
      if (!isUpgrade) stream.nextRequest();
    });
    own.current = new Exchange(context, { client, stream, request, response, isUpgrade });
    inBackground(log, 'request', own.current.run());
  }

  function refuse(stream: Duplex, cause: FailureCause): void {
    if (!stream.writable) return;
    metrics.refusals.inc({ reason: cause });
    log.info({ cause, clientAddress: clients.get(stream)?.client.address }, 'Request refused');
    stream.end(encodeHttpFailure(cause));
  }

  return {
    adopt: (client, early) => {
      const stream = new RequestStream(client.socket, early, limits);
      const own: HttpClient = { client, stream, current: undefined };
      clients.set(stream, own);
      client.whenTooSlow = () => {
        if (own.current) own.current.fail('handshake-slow');
        else refuse(stream, 'handshake-slow');
      };
      server.emit('connection', stream);
    },
  };
}

function createStrictServer({ headBytes }: Pick<Limits, 'headBytes'>): Server {
  const server = createServer({
    maxHeaderSize: headBytes,
    insecureHTTPParser: false,
    requireHostHeader: false, // Checked with the rest of the head, so that the answer is ours.
    keepAliveTimeout: 0,
    requestTimeout: 0,
  });
  server.maxHeadersCount = 0; // Otherwise fields beyond it would be dropped silently.
  return server;
}

/** Undefined for a request without a body. */
function bodyBoundary({ rawHeaders }: IncomingMessage): MessageBoundary | undefined {
  if (valuesOf(rawHeaders, 'transfer-encoding').length > 0) return new ChunkedBoundary();
  const length = Number(valuesOf(rawHeaders, 'content-length')[0] ?? 0);
  return length > 0 ? new LengthBoundary(length) : undefined;
}
