import Fastify, { type FastifyInstance } from 'fastify';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useErrors } from './errors.ts';
import { SCREEN_PATHS_FILE } from './screen-paths.ts';
import { serveWebApp } from './web-app.ts';

const brand = { brandName: 'Прокси & "Co"', publicUrl: 'https://shop.example.com' };
const root = mkdtempSync(path.join(os.tmpdir(), 'branded-'));
const source = (name: string) => readFileSync(fileURLToPath(new URL(`../../../web/${name}`, import.meta.url)), 'utf8');
let app: FastifyInstance;
beforeAll(async () => {
  writeFileSync(path.join(root, 'index.html'), 'app');
  mkdirSync(path.join(root, '.vite'));
  writeFileSync(path.join(root, SCREEN_PATHS_FILE), '[]');
  writeFileSync(path.join(root, 'robots.txt'), source('public/robots.txt'));
  writeFileSync(path.join(root, 'manifest.webmanifest'), source('public/manifest.webmanifest'));
  app = Fastify();
  useErrors(app);
  await serveWebApp(app, brand, root);
});
afterAll(async () => {
  await app.close();
  rmSync(root, { recursive: true });
});

test('robots find the sitemap', async () => {
  const { body } = await app.inject('/robots.txt');
  expect(body).toMatch(/^User-agent: \*\nAllow: \/\n/);
  expect(body).toContain('\nSitemap: https://shop.example.com/sitemap.xml\n');
});

test.each(['index.html', 'visitor.html'])('%s can be added to a home screen', (name) => {
  expect(source(name)).toContain('<link rel="manifest" href="/manifest.webmanifest" />');
  expect(source(name)).toContain('<link rel="apple-touch-icon" href="/icon-180.png" />');
});

test('the manifest has the name of the brand', async () => {
  const { body, headers } = await app.inject('/manifest.webmanifest');
  expect(headers['content-type']).toBe('application/manifest+json');
  expect(JSON.parse(body)).toMatchObject({ name: brand.brandName, short_name: brand.brandName, start_url: '/proxies' });
});

test.each([
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0', 'gzip'],
  ['BR ; q=0.5', 'br'],
  ['deflate', undefined],
  ['', undefined],
])('Accept-Encoding "%s" gets %s', async (accepted, encoding) => {
  const { rawPayload, headers } = await app.inject({ url: '/robots.txt', headers: { 'accept-encoding': accepted } });
  expect(headers['content-encoding']).toBe(encoding);
  expect(headers['vary']).toBe('accept-encoding');
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''] ?? ((bytes: Buffer) => bytes);
  expect(decode(rawPayload).toString()).toContain('Sitemap: ');
});

test('clients with a cached file get 304; HEAD has no body', async () => {
  const { etag } = (await app.inject('/robots.txt')).headers;
  const again = await app.inject({ url: '/robots.txt', headers: { 'if-none-match': String(etag) } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  const head = await app.inject({ method: 'HEAD', url: '/robots.txt' });
  expect([head.statusCode, head.body]).toEqual([200, '']);
});
