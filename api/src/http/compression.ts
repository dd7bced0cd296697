import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/**
 * The route option `compress` of endpoints with JSON. Shorter responses fit into the first packets anyway.
 *
 * The BREACH attack finds a secret by the lengths of compressed responses. It needs requests in the user's name from another site, and
 * there are none: the access token is in a header, which browsers never add by themselves.
 */
export const JSON_COMPRESSION: { encodings: ('br' | 'gzip')[]; threshold: number; syncThreshold: number } = {
  encodings: ['br', 'gzip'],
  threshold: 1024,
  // A page of a list takes less than a millisecond; the thread pool, which also hashes passwords, is for longer responses.
  syncThreshold: 262_144,
};

/** Compresses the responses of routes that ask for it. Requests are not decompressed: they would need another limit for their size. */
export async function useCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, { global: false });
}
