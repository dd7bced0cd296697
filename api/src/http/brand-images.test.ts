import Fastify from 'fastify';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createBrandFolder, picture, svg, writeBrandImages } from '../../test/brand-folder.ts';
import { describeLogo, readBrandImages, serveBrandImages } from './brand-images.ts';

const folder = createBrandFolder();
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: Buffer | string) => writeFileSync(path.join(folder, name), content);
beforeEach(() => {
  rmSync(path.join(folder, 'logo-dark.svg'), { force: true });
  writeBrandImages(folder);
});

test('each file is served with its type at the address of the built-in one, and confirmed by its ETag', async () => {
  const app = Fastify();
  serveBrandImages(app, readBrandImages(folder));
  const types = { 'logo.svg': 'image/svg+xml', 'favicon.ico': 'image/vnd.microsoft.icon', 'icon-180.png': 'image/png' };
  for (const [name, type] of Object.entries(types)) {
    const { headers, statusCode } = await app.inject(`/${name}`);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([200, type, 'no-cache']);
    const again = await app.inject({ url: `/${name}`, headers: { 'if-none-match': String(headers['etag']) } });
    expect(again.statusCode).toBe(304);
  }
  await app.close();
});

test('a wide logo has the name in it; one for the dark theme is optional', () => {
  expect(describeLogo(readBrandImages(folder))).toEqual({ isWide: true, hasDark: false });
  write('logo.svg', svg('0 0 32 32'));
  write('logo-dark.svg', svg('0 0 32 32'));
  expect(describeLogo(readBrandImages(folder))).toEqual({ isWide: false, hasDark: true });
  expect([readBrandImages(undefined), describeLogo([])]).toEqual([[], null]);
});

test.each([
  ['logo.svg', '<html></html>', 'logo.svg is no SVG'],
  ['logo.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="1"></svg>', 'logo.svg has no viewBox'],
  ['logo.svg', svg('0 0 1 1', '<script>alert(1)</script>'), 'logo.svg has a script'],
  ['logo.svg', svg('0 0 1 1', '<g onload="alert(1)"/>'), 'logo.svg has a script'],
  ['logo.svg', svg('0 0 1 1', '<image href="https://example.com/a.png"/>'), 'logo.svg has a script'],
  ['logo.svg', svg('0 0 1 1', ' '.repeat(70_000)), 'logo.svg is larger than 64 KB'],
  ['icon-192.png', picture(200, 192), 'icon-192.png has 200 x 192 pixels instead of 192 x 192'],
  ['icon-192.png', svg('0 0 1 1'), 'icon-192.png is no PNG'],
  ['favicon.ico', picture(16, 16), 'favicon.ico is no ICO'],
  ['favicon.ico', '', 'favicon.ico is empty'],
])('%s with %s prevents the start', (name, content, sentence) => {
  write(name, content);
  expect(() => readBrandImages(folder)).toThrow(sentence);
});

test('a missing folder, a missing file and one with another name prevent the start', () => {
  expect(() => readBrandImages(path.join(folder, 'none'))).toThrow('there is no folder');
  write('logo.png', picture(1, 1));
  expect(() => readBrandImages(folder)).toThrow('BRAND_IMAGES_FOLDER has logo.png: its files are named logo.svg,');
  rmSync(path.join(folder, 'logo.png'));
  rmSync(path.join(folder, 'icon-192.png'));
  expect(() => readBrandImages(folder)).toThrow('BRAND_IMAGES_FOLDER lacks icon-192.png');
});
