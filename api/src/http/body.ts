/** Bodies of requests: JSON, no longer than its route takes, in no more memory than it is long. */
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { AppError } from '@cellhop/contract/errors';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { holdsMoreValues } from './body-values.ts';
import { ClientGoneError } from './errors.ts';

const KIB = 1024;
/** Where no body is expected, and where nobody serves anything. */
export const EMPTY_BODY_BYTES = KIB;
/** The longest a stranger sends is two tokens, or a password of which each character is escaped. */
const STRANGERS_BODY_BYTES = 8 * KIB;
/** The longest a signed-in user sends is a list of 500 ids, or a notification with 200 readers. */
const USERS_BODY_BYTES = 64 * KIB;
/** Thousands of connections in one report. */
const GATEWAYS_BODY_BYTES = 1_000_000;
const FIRST_PIECE_BYTES = KIB;
const NOTHING = Buffer.alloc(0);

/** A character of a text at its longest: two escapes of a surrogate pair, `\ud83d\udd11`. */
const CHARACTER_BYTES = 12;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of the body, nested ones included; a text with more of them is not parsed. */
    bodyValuesMax?: number;
  }
}

/** What the schema takes at its longest, with as much again for spaces, but never more than who asks may send. */
export function bodyLimitOf({ access, body }: EndpointDefinition): number {
  if (body === undefined) return EMPTY_BODY_BYTES;
  if (access === 'gateway') return GATEWAYS_BODY_BYTES;
  const isStranger = access === 'public' || access === 'development';
  const longest = longestOf(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }));
  return Math.min(isStranger ? STRANGERS_BODY_BYTES : USERS_BODY_BYTES, EMPTY_BODY_BYTES + 2 * longest);
}

/** In bytes of JSON; infinite where the schema says nothing of a length. */
function longestOf(schema: z.core.JSONSchema._JSONSchema): number {
  if (typeof schema === 'boolean') return Infinity;
  const { type, enum: values, maxLength, items, maxItems, properties, additionalProperties, anyOf } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const).length;
  if (values) return Math.max(...values.map((value) => JSON.stringify(value).length));
  if (anyOf) return Math.max(...anyOf.map(longestOf));
  if (type === 'boolean' || type === 'null' || type === 'number' || type === 'integer') return 32;
  if (type === 'string') return 2 + CHARACTER_BYTES * (maxLength ?? Infinity);
  if (type === 'array' && items && !Array.isArray(items)) return 2 + (1 + longestOf(items)) * (maxItems ?? Infinity);
  if (type !== 'object' || !properties || additionalProperties !== false) return Infinity;
  return Object.entries(properties).reduce((sum, [name, value]) => sum + name.length + 4 + longestOf(value), 2);
}

export function useJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const { bodyLimit, config } = request.routeOptions;
    collect(payload, bodyLimit, (error, body) => {
      if (error) done(error);
      // Some clients name a content type without sending a body; that is no malformed JSON.
      else if (body.length === 0) done(null, undefined);
      else if (holdsMoreValues(body, config.bodyValuesMax ?? Infinity)) done(tooManyValues());
      else void parseJson(request, body.toString('utf8'), done);
    });
  });
}

/**
 * Collects in one buffer: Fastify keeps a list of the pieces, and a body that comes byte by byte is a list of objects each a
 * hundred times as large as what it holds.
 * @param done gets PAYLOAD_TOO_LARGE, or an error if the client goes away before the end
 */
function collect(
  request: IncomingMessage,
  limitBytes: number,
  done: (error: Error | null, body: Buffer) => void,
): void {
  const finish = (error: Error | null, body = NOTHING) => {
    request.off('data', take).off('end', end).off('close', gone);
    done(error, body);
  };
  const gone = () => finish(new ClientGoneError('The client has gone before its request was read'));
  const end = () => finish(null, buffer.subarray(0, length));
  const take = (piece: Buffer) => {
    const newLength = length + piece.length;
    if (newLength > limitBytes) return finish(new AppError('PAYLOAD_TOO_LARGE'));
    if (newLength > buffer.length) buffer = enlarge(buffer, length, Math.min(limitBytes, 2 * newLength));
    piece.copy(buffer, length);
    length = newLength;
    return undefined;
  };
  let buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_PIECE_BYTES, limitBytes));
  let length = 0;
  request.on('error', () => {}); // `close` follows.
  // While it was found out who asks, the client may have left: its end has been told already, to nobody.
  if (request.destroyed) gone();
  else if (Number(request.headers['content-length']) > limitBytes) finish(new AppError('PAYLOAD_TOO_LARGE'));
  else request.on('data', take).on('end', end).on('close', gone);
}

function enlarge(buffer: Buffer, length: number, bytes: number) {
  const larger = Buffer.allocUnsafeSlow(bytes);
  buffer.copy(larger, 0, 0, length);
  return larger;
}

function tooManyValues(): AppError {
  return AppError.validation([{ path: 'body', message: 'holds more values than this endpoint takes' }]);
}
