import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { inBackground } from '../background.ts';
import type { Limits } from '../limits.ts';
import { fieldValues, isUpgradeRequired } from '../protocol/http-fields.ts';
import { ChunkedBoundary, LengthBoundary, type MessageBoundary } from '../protocol/message-boundary.ts';
import { encodeHttpFailure, type FailureCause } from '../statuses.ts';
import { Exchange } from './http-exchange.ts';
import type { ListenerContext } from './listener-context.ts';
import type { RequestClient } from './request-client.ts';
import { RequestStream } from './request-stream.ts';

export interface HttpProxy {
  /** Serves a client with any method but CONNECT. `early`: the bytes that were already read. */
  adopt(client: RequestClient, early: Buffer): void;
}

interface HttpClient {
  readonly client: RequestClient;
  readonly stream: RequestStream;
  /** The exchange in progress. */
  current: Exchange | undefined;
}

const causesOfParserErrors: Record<string, FailureCause> = {
  HPE_HEADER_OVERFLOW: 'head-too-large',
  HPE_INVALID_VERSION: 'http-version',
  /** The preface of HTTP/2, which begins like a request. */
  HPE_PAUSED_H2_UPGRADE: 'http-version',
};

/** Serves absolute-form requests with Node's strict parser. The HTTP server itself does not listen. */
export function createHttpProxy(context: ListenerContext): HttpProxy {
  const { limits, metrics, log } = context;
  const clients = new WeakMap<Duplex, HttpClient>();
  const server = createStrictServer(limits);

  server.on('request', serve);
  server.on('checkContinue', serve);
  // The origin must handle an expectation; by default Node responds with 417 itself.
  server.on('checkExpectation', serve);
  server.on('upgrade', (request: IncomingMessage, stream: Duplex) => serveUpgrade(request, stream));
  server.on('connect', (_: IncomingMessage, stream: Duplex) => refuse(stream, 'connect-not-first'));
  server.on('clientError', (error: NodeJS.ErrnoException, stream: Duplex) => {
    const canRespond = clients.get(stream)?.current === undefined && error.code !== 'ECONNRESET';
    if (canRespond) refuse(stream, causesOfParserErrors[error.code ?? ''] ?? 'malformed');
    else stream.destroy();
  });

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const entry = clients.get(request.socket);
    // The stream passes one request at a time; a second one would mean that parser and stream disagree about its end.
    if (!entry || entry.current) return request.socket.destroy() && undefined;
    start(entry, request, response, false);
    const boundary = bodyBoundary(request);
    if (boundary) entry.stream.expectBody(boundary);
  }

  function serveUpgrade(request: IncomingMessage, stream: Duplex): void {
    const entry = clients.get(stream);
    if (!entry || entry.current) return stream.destroy() && undefined;
    start(entry, request, createUpgradeResponse(request, entry.stream), true);
  }

  function start(entry: HttpClient, request: IncomingMessage, response: ServerResponse, isUpgrade: boolean): void {
    const { client, stream } = entry;
    client.requestStarted();
    response.sendDate = false;
    response.once('close', () => {
      entry.current = undefined;
      client.awaitRequest(() => stream.end());
      if (!isUpgrade) stream.nextRequest();
    });
    entry.current = new Exchange(context, { client, stream, request, response, isUpgrade });
    inBackground(log, 'request', entry.current.run());
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
      const entry: HttpClient = { client, stream, current: undefined };
      clients.set(stream, entry);
      client.interrupt = (cause) => {
        if (entry.current) entry.current.fail(cause);
        // A client that has not begun a request would take the refusal for the response to its next one.
        else if (cause === 'handshake-timeout' || stream.isInHead) refuse(stream, cause);
        else client.socket.destroy();
      };
      server.emit('connection', stream);
    },
  };
}

/** Node creates no response object for an upgrade, but the origin may refuse the upgrade with a normal response. */
function createUpgradeResponse(request: IncomingMessage, stream: RequestStream): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(request.socket);
  response.once('finish', () => stream.end());
  return response;
}

function createStrictServer({ headBytes }: Pick<Limits, 'headBytes'>): Server {
  const server = createServer({
    maxHeaderSize: headBytes,
    insecureHTTPParser: false,
    shouldUpgradeCallback: ({ rawHeaders }) => isUpgradeRequired(rawHeaders),
    requireHostHeader: false, // Checked by `readRequestHead`, so that the gateway writes the response.
    keepAliveTimeout: 0,
    requestTimeout: 0,
  });
  server.maxHeadersCount = 0; // With a limit, Node silently drops further fields.
  return server;
}

/** @returns undefined for a request without a body */
function bodyBoundary({ rawHeaders }: IncomingMessage): MessageBoundary | undefined {
  if (fieldValues(rawHeaders, 'transfer-encoding').length > 0) return new ChunkedBoundary();
  const length = Number(fieldValues(rawHeaders, 'content-length')[0] ?? 0);
  return length > 0 ? new LengthBoundary(length) : undefined;
}
