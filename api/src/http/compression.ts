import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Shorter responses fit into the first packets anyway. */
const WORTHWHILE_BYTES = 1024;

/**
 * Compresses long JSON responses of the routes that are registered after this, but no streams (`routeStream`).
 *
 * The BREACH attack finds a secret by the lengths of compressed responses. It needs requests in the user's name from another site, and
 * there are none: the access token is in a header, which browsers never add by themselves.
 */
export async function useCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: WORTHWHILE_BYTES,
    // A compressed request would need another limit for its size.
    globalDecompression: false,
  });
}
