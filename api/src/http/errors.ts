import { AppError, type ErrorCode } from '@cellhop/contract/errors';
import type { ErrorBody } from '@cellhop/contract/schemas';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { isDatabaseAway } from '../database-connection.ts';
import { isStalePlan } from '../db.ts';

/** The one place that writes error answers. */
export function useErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError);
}

/** Also for what Fastify refuses before it knows the route, such as a malformed address. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const expected = toAppError(error, request);
  // A fault of ours: everything about it goes to the log, nothing of it to the client.
  const isOurs = expected.status >= 500 && !(error instanceof AppError || error instanceof ClientGoneError);
  if (isOurs) request.log.error({ err: error }, 'request failed');
  // What part of the file there is to ask for (RFC 9110, section 15.5.17).
  const range = (error as SendError).headers?.['Content-Range'];
  if (range !== undefined) void reply.header('content-range', range);
  return writeError(reply, expected);
}

/** An error of @fastify/send, which serves the files. */
type SendError = FastifyError & { headers?: Record<string, string | undefined> };

/** Nobody is left to be answered, and nothing of ours has failed. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

export function writeError(reply: FastifyReply, error: AppError): FastifyReply {
  const seconds = error.retryAfterSeconds ?? error.data['seconds'] ?? RETRY_SECONDS[error.code];
  if ((error.status === 429 || error.status === 503) && seconds !== undefined)
    void reply.header('retry-after', String(seconds));
  // Sent as text: a route's own response schema must not rewrite it.
  void reply.header('cache-control', 'no-store');
  return reply.code(error.status).type('application/json; charset=utf-8').serializer(String).send(errorBody(error));
}

/** The documented form of every error answer. */
export function errorBody(error: AppError): string {
  const body: ErrorBody = {
    statusCode: error.status,
    error: STATUS_CODES[error.status] ?? 'Error',
    code: error.code,
    message: error.message,
    ...(error.details && { details: error.details }),
  };
  return JSON.stringify(body);
}

/** Where the error itself does not know. A database that was restarted is back by then. */
const RETRY_SECONDS: Partial<Record<ErrorCode, number>> = { UNAVAILABLE: 2 };

/** Nothing is served at this address. */
export function notFound(request: FastifyRequest): AppError {
  return new AppError('NOT_FOUND', { thing: request.method === 'GET' ? 'Page' : 'Endpoint' });
}

/** Fastify's own refusals of a request -> the catalogue. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
};

/** What @fastify/send refuses has a status and no code. A file that must not be read is one that does not exist. */
const statusCodes: Record<number, ErrorCode> = {
  412: 'PRECONDITION_FAILED',
  416: 'RANGE_NOT_SATISFIABLE',
  429: 'RATE_LIMITED',
};
const FILE_STATUSES = new Set([400, 403, 404]);

function toAppError(error: FastifyError, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  const { statusCode = 500, code: ownCode = '' } = error as Partial<FastifyError>;
  const code = frameworkCodes[ownCode] ?? statusCodes[statusCode];
  if (code) return new AppError(code as 'PAYLOAD_TOO_LARGE');
  // A migration that runs just now may change a table more often than a statement is sent again.
  if (isDatabaseAway(error) || isStalePlan(error)) return new AppError('UNAVAILABLE');
  if (ownCode === '' && FILE_STATUSES.has(statusCode)) return notFound(request);
  if (statusCode >= 400 && statusCode < 500)
    return AppError.validation([
      { path: ownCode.startsWith('FST_ERR_CTP_') ? 'body' : 'request', message: error.message },
    ]);
  return new AppError('INTERNAL');
}
