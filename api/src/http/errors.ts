import { AppError, type ErrorCode } from '@cellhop/contract/errors';
import type { ErrorBody } from '@cellhop/contract/schemas';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import pg from 'pg';

/** The one place that writes error answers. */
export function useErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError);
}

/** Also for what Fastify refuses before it knows the route, such as a malformed address. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const expected = toAppError(error);
  // A fault of ours: everything about it goes to the log, nothing of it to the client.
  if (expected.status >= 500 && !(error instanceof AppError)) request.log.error({ err: error }, 'request failed');
  return writeError(reply, expected);
}

export function writeError(reply: FastifyReply, error: AppError): FastifyReply {
  const body: ErrorBody = {
    statusCode: error.status,
    error: STATUS_CODES[error.status] ?? 'Error',
    code: error.code,
    message: error.message,
    ...(error.details && { details: error.details }),
  };
  const seconds = error.retryAfterSeconds ?? error.data['seconds'];
  if ((error.status === 429 || error.status === 503) && seconds !== undefined)
    void reply.header('retry-after', String(seconds));
  // Sent as text: a route's own response schema must not rewrite it.
  return reply.code(error.status).type('application/json; charset=utf-8').serializer(String).send(JSON.stringify(body));
}

/** Nothing is served at this address. */
export function notFound(request: FastifyRequest): AppError {
  return new AppError('NOT_FOUND', { thing: request.method === 'GET' ? 'Page' : 'Endpoint' });
}

/** Fastify's own refusals of a request -> the catalogue. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
};

function toAppError(error: FastifyError): AppError {
  if (error instanceof AppError) return error;
  const code = frameworkCodes[error.code];
  if (code) return new AppError(code as 'PAYLOAD_TOO_LARGE');
  if (error.statusCode === 429) return new AppError('RATE_LIMITED');
  if (isDatabaseAway(error)) return new AppError('UNAVAILABLE');
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return AppError.validation([{ path: isAboutBody(error) ? 'body' : 'request', message: error.message }]);
  return new AppError('INTERNAL');
}

/** Content that is no JSON, or that would poison a prototype: the parser's own errors have no code. */
function isAboutBody(error: FastifyError): boolean {
  return error instanceof SyntaxError || error.code.startsWith('FST_ERR_CTP_');
}

/**
 * Class 08: connection lost; class 57: the server is shutting down or starting, or a statement took too long; the others
 * come from the socket.
 */
function isDatabaseAway(error: Error & { code?: string }): boolean {
  if (error instanceof pg.DatabaseError) return /^(?:08|57)/.test(error.code ?? '');
  return (
    error.code === 'ECONNREFUSED' ||
    error.code === 'ECONNRESET' ||
    error.message === 'Connection terminated unexpectedly' ||
    error.message === 'timeout exceeded when trying to connect'
  );
}
