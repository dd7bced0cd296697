/** Node's HTTP server with a bound on everything that a client can make it wait for or keep. */
import { STATUS_CODES, createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '@cellhop/contract/errors';
import { errorBody } from './errors.ts';
import type { Sockets } from './sockets.ts';

const TIMEOUTS = {
  /** From the first byte, or from the moment when the socket was opened. */
  headersTimeout: 10_000,
  /** Headers and body. A gateway's largest report takes less on the slowest link between two machines. */
  requestTimeout: 20_000,
  /** Node looks after the two above only so often. */
  connectionsCheckingInterval: 2000,
  /** Longer than proxies in front of it keep theirs (nginx: 60 s), so that they never send a request into a closing socket. */
  keepAliveTimeout: 72_000,
  /** Nothing read and nothing written: longer than the silence of an event stream (live.routes.ts). */
  silenceTimeout: 60_000,
};

/**
 * @param headers of the answers to what cannot be read as a request
 * @param timeouts in milliseconds
 */
export function createHttpServer(
  sockets: Sockets,
  headers: Readonly<Record<string, string>>,
  listener: RequestListener,
  { silenceTimeout, ...timeouts } = TIMEOUTS,
): Server {
  // Node's own refusal of a request without a host has no body.
  const server = createServer({ ...timeouts, requireHostHeader: false }, (request, response) => {
    if (sockets.admit(request, response)) listener(request, response);
  });
  server.setTimeout(silenceTimeout);
  sockets.guard(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket, headers));
  return server;
}

/** An answer that has begun cannot become another one. */
type AnsweringSocket = Socket & { _httpMessage?: { headersSent: boolean } | null };

function refuse(
  error: NodeJS.ErrnoException,
  socket: AnsweringSocket,
  headers: Readonly<Record<string, string>>,
): void {
  if (socket.writable && error.code !== 'ECONNRESET' && !socket._httpMessage?.headersSent)
    socket.end(toAnswer(toAppError(error), headers));
  // What the client goes on sending is not read.
  socket.destroySoon();
}

function toAppError({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('REQUEST_TIMEOUT');
  return AppError.validation([{ path: 'request', message: 'is not a well-formed HTTP request' }]);
}

function toAnswer(error: AppError, headers: Readonly<Record<string, string>>): string {
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
