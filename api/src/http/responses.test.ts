import Fastify, { type FastifyInstance } from 'fastify';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPRESSION, useCompression } from './responses.ts';

const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index, city: `City ${index % 37}` }));
let app: FastifyInstance;
beforeAll(async () => {
  app = Fastify();
  await useCompression(app);
  const options = { compress: COMPRESSION };
  app.get('/short', options, () => rows.slice(0, 2));
  app.get('/rows', options, () => rows.slice(0, 50));
  app.get('/long', options, () => rows);
  app.get('/other', () => rows);
  app.post('/body', options, (request) => request.body);
});
afterAll(() => app.close());

async function get(path: string, encodings: string) {
  const { headers, rawPayload } = await app.inject({ url: path, headers: { 'accept-encoding': encodings } });
  return { encoding: headers['content-encoding'], headers, bytes: rawPayload };
}

test.each([
  ['/rows', 50],
  // Compressed in the thread pool.
  ['/long', 20_000],
])('%s is compressed with the best encoding that the client reads', { tags: ['thorough'] }, async (path, count) => {
  const expected = rows.slice(0, count);
  const brotli = await get(path, 'gzip, deflate, br, zstd');
  expect(brotli.encoding).toBe('br');
  expect(brotli.headers.vary).toBe('accept-encoding');
  expect(JSON.parse(brotliDecompressSync(brotli.bytes).toString())).toEqual(expected);
  const gzip = await get(path, 'gzip');
  expect(gzip.encoding).toBe('gzip');
  expect(JSON.parse(gunzipSync(gzip.bytes).toString())).toEqual(expected);
  const plain = await get(path, 'identity');
  expect(plain.encoding).toBeUndefined();
  expect(JSON.parse(plain.bytes.toString())).toEqual(expected);
  expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 4);
});

test.each(['/short', '/other'])('%s is not compressed', async (path) => {
  expect((await get(path, 'br, gzip')).encoding).toBeUndefined();
});

test('the body of a request is not decompressed', async () => {
  const response = await app.inject({
    method: 'POST',
    url: '/body',
    headers: { 'content-type': 'application/json', 'content-encoding': 'br' },
    payload: brotliCompressSync('{"a":1}'),
  });
  expect(response.statusCode).toBe(400);
});
