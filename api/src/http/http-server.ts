/** Creates Node's HTTP server with timeouts and limits on everything that a client can cause. */
import { STATUS_CODES, createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '@cellhop/contract/errors';
import { errorBody } from './errors.ts';
import type { Sockets } from './sockets.ts';

const TIMEOUTS = {
  /** From the first byte, or from the opening of the socket. */
  headersTimeout: 10_000,
  /** Headers and body. Enough for the largest report of a gateway on a slow link. */
  requestTimeout: 20_000,
  /** Node checks the two timeouts above at this interval. */
  connectionsCheckingInterval: 2000,
  /** Longer than that of reverse proxies (nginx: 60 s), so that they never send a request to a closing socket. */
  keepAliveTimeout: 72_000,
  /** Without reads and writes. Longer than the keep-alive interval of event streams (live.routes.ts). */
  silenceTimeout: 60_000,
};

/** Node's default of 16 KiB is too small for a search with the longest list of cities, whose letters are 9 characters each in a URL. */
const HEADERS_BYTES_MAX = 32 * 1024;

/**
 * @param headers for responses to malformed requests
 * @param timeouts in milliseconds
 */
export function createHttpServer(
  sockets: Sockets,
  headers: Readonly<Record<string, string>>,
  listener: RequestListener,
  { silenceTimeout, ...timeouts } = TIMEOUTS,
): Server {
  // Node's own response to a request without a Host header has no body.
  const server = createServer(
    { ...timeouts, maxHeaderSize: HEADERS_BYTES_MAX, requireHostHeader: false },
    (request, response) => {
      if (sockets.admit(request, response)) listener(request, response);
    },
  );
  server.setTimeout(silenceTimeout);
  sockets.guard(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket, headers));
  return server;
}

/** With Node's internal reference to the current response: once its headers are sent, no error response can follow. */
type RespondingSocket = Socket & { _httpMessage?: { headersSent: boolean } | null };

function refuse(
  error: NodeJS.ErrnoException,
  socket: RespondingSocket,
  headers: Readonly<Record<string, string>>,
): void {
  if (socket.writable && error.code !== 'ECONNRESET' && !socket._httpMessage?.headersSent)
    socket.end(toResponse(toAppError(error), headers));
  // Does not read further data of the client.
  socket.destroySoon();
}

function toAppError({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('REQUEST_TIMEOUT');
  return AppError.validation([{ path: 'request', message: 'is not a well-formed HTTP request' }]);
}

function toResponse(error: AppError, headers: Readonly<Record<string, string>>): string {
  const body = errorBody(error);
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`;
}
