/** Parses JSON request bodies. The size limit depends on the route, and memory use is proportional to the size. */
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { AppError } from '@cellhop/contract/errors';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ClientDisconnectedError } from './errors.ts';

const KIB = 1024;
/** For routes without a body, and for unknown routes. */
export const EMPTY_BODY_BYTES = KIB;
/** The longest public bodies are two tokens, or a password of escaped characters. */
const PUBLIC_BODY_BYTES = 8 * KIB;
/** The longest bodies of users are a list of 500 ids, or a notification for 200 recipients. */
const USER_BODY_BYTES = 64 * KIB;
/** Reports of thousands of connections. */
const GATEWAY_BODY_BYTES = 1_000_000;
const FIRST_PIECE_BYTES = KIB;
const NOTHING = Buffer.alloc(0);

/** The longest JSON form of a character: an escaped surrogate pair, `\ud83d\udd11`. */
const CHARACTER_BYTES = 12;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum number of values in the body, nested ones included; larger bodies are not parsed. */
    bodyValuesMax?: number;
  }
}

/** Twice the longest body that the schema accepts, for whitespace, up to the limit for the kind of client. */
export function bodyLimitFor({ access, body }: EndpointDefinition): number {
  if (body === undefined) return EMPTY_BODY_BYTES;
  if (access === 'gateway') return GATEWAY_BODY_BYTES;
  const isPublic = access === 'public' || access === 'development';
  const longest = maxLengthFor(inputSchemaOf(body));
  return Math.min(isPublic ? PUBLIC_BODY_BYTES : USER_BODY_BYTES, EMPTY_BODY_BYTES + 2 * longest);
}

/** Both limits of a body follow from it. */
const inputSchemas = new WeakMap<z.ZodType, z.core.JSONSchema._JSONSchema>();
function inputSchemaOf(body: z.ZodType): z.core.JSONSchema._JSONSchema {
  const schema = inputSchemas.get(body) ?? z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  inputSchemas.set(body, schema);
  return schema;
}

/** In bytes of JSON; infinite if the schema has no bound. */
function maxLengthFor(schema: z.core.JSONSchema._JSONSchema): number {
  if (typeof schema === 'boolean') return Infinity;
  const { type, enum: values, maxLength, items, maxItems, properties, additionalProperties, anyOf } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const).length;
  if (values) return Math.max(...values.map((value) => JSON.stringify(value).length));
  if (anyOf) return Math.max(...anyOf.map(maxLengthFor));
  if (type === 'boolean' || type === 'null' || type === 'number' || type === 'integer') return 32;
  if (type === 'string') return 2 + CHARACTER_BYTES * (maxLength ?? Infinity);
  if (type === 'array' && items && !Array.isArray(items)) return 2 + (1 + maxLengthFor(items)) * (maxItems ?? Infinity);
  if (type !== 'object' || !properties || additionalProperties !== false) return Infinity;
  return Object.entries(properties).reduce((sum, [name, value]) => sum + name.length + 4 + maxLengthFor(value), 2);
}

export function useJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const { bodyLimit, config } = request.routeOptions;
    collect(payload, bodyLimit, (error, body) => {
      if (error) done(error);
      // Some clients send a content type without a body, which is not malformed JSON.
      else if (body.length === 0) done(null, undefined);
      else if (exceedsValueCount(body, config.bodyValuesMax ?? Infinity)) done(tooManyValues());
      else void parseJson(request, body.toString('utf8'), done);
    });
  });
}

/** Routes of this scope also get the fields of an HTML form. */
export function useFormBodies(scope: FastifyInstance): void {
  scope.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) =>
    collect(payload, request.routeOptions.bodyLimit, (error, body) =>
      done(error, Object.fromEntries(new URLSearchParams(body.toString('utf8')))),
    ),
  );
}

/** Routes of this scope get the body as it is, regardless of its content type. */
export function useRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request, payload, done) =>
    collect(payload, request.routeOptions.bodyLimit, (error, body) => done(error, body)),
  );
}

/**
 * Collects the body in one buffer. Fastify's own parser keeps a list of chunks, so a body sent byte by byte would take a hundred
 * times its size in memory.
 * @param done gets PAYLOAD_TOO_LARGE, or an error if the client disconnects before the end
 */
function collect(
  request: IncomingMessage,
  limitBytes: number,
  done: (error: Error | null, body: Buffer) => void,
): void {
  const finish = (error: Error | null, body = NOTHING) => {
    request.off('data', append).off('end', end).off('close', abort);
    done(error, body);
  };
  const abort = () => finish(new ClientDisconnectedError('The client disconnected before its request was read'));
  const end = () => finish(null, buffer.subarray(0, length));
  const append = (chunk: Buffer) => {
    const newLength = length + chunk.length;
    if (newLength > limitBytes) return finish(new AppError('PAYLOAD_TOO_LARGE'));
    if (newLength > buffer.length) buffer = enlarge(buffer, length, Math.min(limitBytes, 2 * newLength));
    chunk.copy(buffer, length);
    length = newLength;
    return undefined;
  };
  let buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_PIECE_BYTES, limitBytes));
  let length = 0;
  request.on('error', () => {}); // `close` follows.
  // The client may have disconnected during authentication; then `close` was already emitted.
  if (request.destroyed) abort();
  else if (Number(request.headers['content-length']) > limitBytes) finish(new AppError('PAYLOAD_TOO_LARGE'));
  else request.on('data', append).on('end', end).on('close', abort);
}

function enlarge(buffer: Buffer, length: number, bytes: number) {
  const larger = Buffer.allocUnsafeSlow(bytes);
  buffer.copy(larger, 0, 0, length);
  return larger;
}

function tooManyValues(): AppError {
  return AppError.validation([{ path: 'body', message: 'contains more values than this endpoint accepts' }]);
}

/** Allowed beyond the schema, so that validation can still report common mistakes by field. */
const SPARE_VALUES = 100;

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = ['"', '\\', ',', '[', '{'].map((character) =>
  character.charCodeAt(0),
);

/** The largest number of values in a body. Infinite if the schema has no bound. */
export function valueCountLimitFor({ access, body }: EndpointDefinition): number {
  // Gateways report on thousands of connections, and are trusted.
  if (body === undefined || access === 'gateway') return Infinity;
  return SPARE_VALUES + maxValuesFor(inputSchemaOf(body));
}

function maxValuesFor(schema: z.core.JSONSchema._JSONSchema): number {
  if (typeof schema === 'boolean') return Infinity;
  const { type, enum: choice, const: constant, items, maxItems, properties, additionalProperties, anyOf } = schema;
  if (anyOf) return Math.max(...anyOf.map(maxValuesFor));
  if (type === undefined && !choice && constant === undefined) return Infinity;
  if (type === 'array' && items && !Array.isArray(items)) return 1 + maxValuesFor(items) * (maxItems ?? Infinity);
  if (type === 'array') return Infinity;
  if (type !== 'object') return 1;
  if (!properties || additionalProperties !== false) return Infinity;
  return Object.values(properties).reduce((sum: number, value) => sum + maxValuesFor(value), 1);
}

/**
 * Limits the number of values, because counting is much faster than parsing and validating thousands of unknown fields. Counts commas and opening brackets outside strings, because each value except the first of its list follows a comma. Malformed
 * JSON is left to the parser.
 */
export function exceedsValueCount(json: Buffer, limit: number): boolean {
  if (limit === Infinity) return false;
  let values = 1;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (byte === QUOTE) index = endOfString(json, index);
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
    if (values > limit) return true;
  }
  return false;
}

/** @returns the index of the closing quote; the end of the text if there is none */
function endOfString(json: Buffer, start: number): number {
  for (let index = start + 1; index < json.length; index++) {
    if (json[index] === QUOTE) return index;
    if (json[index] === BACKSLASH) index++;
  }
  return json.length;
}
