import { DOWNLOAD_MEGABYTES_MAX } from '@cellhop/contract/development';
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import type { FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';

const params = z.strictObject({ megabytes: z.coerce.number().int().min(1).max(DOWNLOAD_MEGABYTES_MAX) });
/** Random, so that it cannot be compressed on the way. */
const chunk = randomBytes(65_536);
const CHUNKS_PER_MEGABYTE = BYTES_PER_MEGABYTE / chunk.length;

/** A download to try proxies without internet access. */
export function downloadRoutes(app: FastifyInstance): void {
  app.get<{ Params: z.output<typeof params> }>(
    '/dev/download/:megabytes',
    // HEAD would generate the whole body.
    { exposeHeadRoute: false, schema: { hide: true, params } },
    (request, reply) => {
      const { megabytes } = request.params;
      return reply
        .type('application/octet-stream')
        .header('content-length', megabytes * BYTES_PER_MEGABYTE)
        .header('cache-control', 'no-store')
        .send(Readable.from(repeatChunk(megabytes * CHUNKS_PER_MEGABYTE), { objectMode: false }));
    },
  );
}

/** A generator, so that back pressure and disconnects stop it. */
function* repeatChunk(times: number): Generator<Buffer> {
  for (let index = 0; index < times; index++) yield chunk;
}
