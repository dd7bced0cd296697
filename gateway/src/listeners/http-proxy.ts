import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayContext } from '../context.ts';
import { hasBody } from '../protocol/http-fields.ts';
import { encodeHttpFailure, type FailureCause } from '../statuses.ts';
import { closeWithAnswer } from './handshake.ts';
import { exchange } from './http-exchange.ts';

export interface HttpProxy {
  /** Serves a client that speaks anything but CONNECT; fulfilled when it is authenticated or gone. */
  adopt(socket: Socket, early: Buffer, authenticated: () => void): Promise<void>;
  cut(): void;
}

interface Client {
  /** The request that is being answered. */
  current: ServerResponse | undefined;
  /** By this time the next request has to be complete. */
  deadline: NodeJS.Timeout;
  authenticated(): void;
}

const causesOfParserErrors: Record<string, FailureCause> = {
  HPE_HEADER_OVERFLOW: 'head-too-large',
  HPE_INVALID_VERSION: 'http-version',
};

/** Absolute-form requests, read by Node's own strict parser; no socket of ours listens here. */
export function createHttpProxy(context: GatewayContext): HttpProxy {
  const { limits } = context;
  const clients = new Map<Socket, Client>();
  const server = createServer({
    maxHeaderSize: limits.headBytes,
    insecureHTTPParser: false,
    requireHostHeader: false, // Checked with the rest of the head, so that the answer is ours.
    keepAliveTimeout: 0,
    requestTimeout: 0,
  });
  server.maxHeadersCount = 0; // Otherwise fields beyond it would be dropped silently.

  server.on('request', (request, response) => serve(request, response));
  server.on('checkContinue', (request, response) => serve(request, response));
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => serveUpgrade(request, socket, head));
  server.on('connect', (_: IncomingMessage, socket: Socket) => refuseConnect(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const isAnswerable = socket.writable && clients.get(socket)?.current === undefined && error.code !== 'ECONNRESET';
    if (!isAnswerable) return socket.destroy();
    const cause = causesOfParserErrors[error.code ?? ''] ?? 'malformed';
    context.metrics.refusals.inc({ reason: cause });
    context.log.info({ cause, clientAddress: socket.remoteAddress }, 'Request refused');
    return closeWithAnswer(socket, encodeHttpFailure(cause), limits.lingerMs);
  });

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const client = clients.get(request.socket);
    if (!client) return request.socket.destroy() && undefined;
    if (client.current) {
      // Pipelined: answers stay in order by giving only the first; the client sends the others again.
      client.current.shouldKeepAlive = false;
      response.shouldKeepAlive = false;
      const { socket } = request;
      client.current.once('finish', () => closeWithAnswer(socket, '', limits.lingerMs));
      return;
    }
    clearTimeout(client.deadline);
    client.current = response;
    response.sendDate = false;
    response.once('close', () => {
      client.current = undefined;
      client.deadline = setTimeout(() => request.socket.destroy(), limits.nextRequestMs);
      if (request.socket.destroyed) clearTimeout(client.deadline);
    });
    void exchange(context, { request, response, upgrade: undefined, authenticated: () => client.authenticated() });
  }

  /** Node gives no response object for an upgrade, because most servers write their own; the origin may refuse. */
  function serveUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const client = clients.get(socket);
    if (!client || client.current || hasBody(request.rawHeaders)) return socket.destroy() && undefined;
    clearTimeout(client.deadline);
    const response = new ServerResponse(request);
    client.current = response;
    response.sendDate = false;
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => closeWithAnswer(socket, '', limits.lingerMs));
    void exchange(context, {
      request,
      response,
      upgrade: { socket, head },
      authenticated: () => client.authenticated(),
    });
  }

  /** Node's parser has the bytes behind the head, so a tunnel on this socket would need a second way to begin. */
  function refuseConnect(socket: Socket): void {
    const client = clients.get(socket);
    if (!client) return socket.destroy() && undefined;
    clearTimeout(client.deadline);
    context.metrics.refusals.inc({ reason: 'connect-too-late' });
    const answer = () => closeWithAnswer(socket, encodeHttpFailure('connect-too-late'), limits.lingerMs);
    if (client.current) client.current.once('finish', answer);
    else answer();
  }

  return {
    adopt: (socket, early, authenticated) =>
      new Promise((fulfil) => {
        const deadline = setTimeout(
          () => closeWithAnswer(socket, encodeHttpFailure('handshake-slow'), limits.lingerMs),
          limits.handshakeMs,
        );
        const client: Client = {
          current: undefined,
          deadline,
          authenticated: () => {
            authenticated();
            fulfil();
          },
        };
        clients.set(socket, client);
        socket.once('close', () => {
          clearTimeout(client.deadline);
          clients.delete(socket);
          fulfil();
        });
        if (socket.destroyed) return socket.emit('close');
        if (early.length > 0) socket.unshift(early);
        server.emit('connection', socket);
        socket.resume();
        return undefined;
      }),
    cut: () => {
      for (const [socket, client] of clients) if (!client.current) socket.destroy();
    },
  };
}
