import { AppError, type ErrorCode } from '@cellhop/contract/errors';
import type { ErrorBody } from '@cellhop/contract/schemas';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { isDatabaseUnavailable } from '../db/database-connection.ts';
import { isStalePlan } from '../db/db.ts';

/** The one place that writes error responses. */
export function useErrors(app: FastifyInstance): void {
  app.setErrorHandler(sendError);
}

/** Also handles errors before routing, such as a malformed URL. */
export function sendError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const expected = toAppError(error, request);
  // Unexpected errors are logged with all details, but the client gets none.
  const isUnexpected =
    expected.status >= 500 && !(error instanceof AppError || error instanceof ClientDisconnectedError);
  if (isUnexpected) request.log.error({ err: error }, 'request failed');
  // The size of the file (RFC 9110, section 15.5.17).
  const range = (error as SendError).headers?.['Content-Range'];
  if (range !== undefined) void reply.header('content-range', range);
  return writeError(reply, expected);
}

/** An error of @fastify/send, which serves the files. */
type SendError = FastifyError & { headers?: Record<string, string | undefined> };

/** Not logged as an error: the client is gone, and the server has not failed. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}

export function writeError(reply: FastifyReply, error: AppError): FastifyReply {
  const seconds = error.retryAfterSeconds ?? error.data['seconds'] ?? RETRY_SECONDS[error.code];
  if ((error.status === 429 || error.status === 503) && seconds !== undefined)
    void reply.header('retry-after', String(seconds));
  // Sent as text, because the route's response schema must not serialize it.
  void reply.header('cache-control', 'no-store');
  return reply.code(error.status).type('application/json; charset=utf-8').serializer(String).send(errorBody(error));
}

/** The documented format of every error response. */
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

/** Default if the error has no time of its own. A database restart takes about this long. */
const RETRY_SECONDS: Partial<Record<ErrorCode, number>> = { UNAVAILABLE: 2 };

/** The error for unknown paths. */
export function notFound(request: FastifyRequest): AppError {
  return new AppError('NOT_FOUND', { thing: request.method === 'GET' ? 'Page' : 'Endpoint' });
}

/** Maps Fastify's own errors to the catalogue. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
};

/** Errors of @fastify/send have a status but no code, or one of @fastify/static. A forbidden file is reported like a missing one. */
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
  // A running migration may change a table more often than the statement is retried.
  if (isDatabaseUnavailable(error) || isStalePlan(error)) return new AppError('UNAVAILABLE');
  const isFileError = ownCode === '' || ownCode.startsWith('FST_STATIC_');
  if (isFileError && FILE_STATUSES.has(statusCode)) return notFound(request);
  if (statusCode >= 400 && statusCode < 500)
    return AppError.validation([
      { path: ownCode.startsWith('FST_ERR_CTP_') ? 'body' : 'request', message: error.message },
    ]);
  return new AppError('INTERNAL');
}
