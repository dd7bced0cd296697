import compress from '@fastify/compress';
import fastJson from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

type Serializer = (value: unknown) => string;

/** Each schema is compiled once: routes share some, and tests build an app each. */
const serializers = new WeakMap<z.ZodType, Serializer>();

/** Serializes declared fields only, so an extra column of a row never leaves the server. */
export function compileSerializer({ schema }: { schema: z.ZodType }): Serializer {
  const known = serializers.get(schema);
  if (known) return known;
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'output', target: 'draft-7' });
  const serializer = fastJson(jsonSchema as Parameters<typeof fastJson>[0]);
  serializers.set(schema, serializer);
  return serializer;
}

/**
 * The route option `compress` of responses that are made for the request. Shorter responses fit into the first packets anyway.
 *
 * The BREACH attack finds a secret by the lengths of compressed responses. It needs requests in the user's name from another site, and
 * there are none: the access token is in a header, which browsers never add by themselves.
 */
export const COMPRESSION: { encodings: ('br' | 'gzip')[]; threshold: number; syncThreshold: number } = {
  encodings: ['br', 'gzip'],
  threshold: 1024,
  // A page of a list takes less than a millisecond; the thread pool, which also hashes passwords, is for longer responses.
  syncThreshold: 262_144,
};

/** Compresses the responses of routes that ask for it. Requests are not decompressed: they would need another limit for their size. */
export async function useCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, { global: false });
}
