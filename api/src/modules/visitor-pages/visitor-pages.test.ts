import Fastify, { type FastifyInstance } from 'fastify';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { useErrors } from '../../http/errors.ts';
import { useCompression } from '../../http/responses.ts';
import type { Stock } from '../proxies/proxies.service.ts';
import type { Proof } from './proof.ts';
import { serveVisitorPages } from './visitor-pages.routes.ts';

const stock: Stock = {
  countedAt: new Date('2026-11-20T14:32:10Z'),
  countries: [
    {
      countryCode: 'DE',
      free: 1240,
      cities: new Map([
        ['Berlin', 1000],
        ['Hamburg', 240],
      ]),
      operators: new Map([
        ['Vodafone', 240],
        ['Telekom', 1000],
      ]),
      connectionTypes: new Map([
        ['LTE', 1000],
        ['5G', 240],
      ]),
      priceMicros: 4000n,
    },
    {
      countryCode: 'AT',
      free: 3,
      cities: new Map([['<b>Wien</b>', 3]]),
      operators: new Map(
        ['<script>alert(1)</script>', 'A1', 'Magenta', 'Drei', 'Spusu', 'HoT', 'Bob'].map((name, n) => [name, 9 - n]),
      ),
      connectionTypes: new Map([['LTE', 3]]),
      priceMicros: 12_500n,
    },
  ],
};

const knownProof: Proof = {
  priceMicros: 4000n,
  checks: 1_234_567,
  passed: 1_234_566,
  latencyMs: 120,
  receipts: 3400,
  refunds: 1204,
};
const root = mkdtempSync(path.join(os.tmpdir(), 'visitor-pages-'));
let testApp: TestApp;
let app: FastifyInstance;
let readStock: () => Promise<Stock>;
let proof: Proof | undefined;
beforeAll(async () => {
  testApp = await startTestApp({
    brandName: 'Прокси & "Co"',
    publicUrl: 'https://shop.example.com',
    contactEmail: 'help@example.com',
    publicPromoCode: undefined,
    seller: { name: 'Müller & Söhne', address: '1 Main Street\nLondon', register: '', vatId: 'GB1', note: '' },
  });
  const template = new URL('../../../../web/visitor.html', import.meta.url);
  writeFileSync(path.join(root, 'visitor.html'), readFileSync(fileURLToPath(template)));
  mkdirSync(path.join(root, 'assets', 'flags-1.2.3'), { recursive: true });
  writeFileSync(path.join(root, 'assets', 'flags-1.2.3', 'de.svg'), '');
  app = Fastify();
  app.decorate('ctx', testApp.ctx);
  app.decorate('readStock', () => readStock());
  useErrors(app);
  await useCompression(app);
  serveVisitorPages(app, root, () => Promise.resolve(proof));
});
afterAll(async () => {
  await app.close();
  await testApp.stop();
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  readStock = () => Promise.resolve(stock);
  proof = knownProof;
});

async function read(url: string, headers: Record<string, string> = {}) {
  const { statusCode, body, headers: answered } = await app.inject({ url, headers });
  return { status: statusCode, body, headers: answered };
}

/** Of the main part, without the links at its end. */
async function readSentences(url: string): Promise<string[]> {
  const { body } = await read(url);
  const main = body.slice(body.indexOf('<main>'), body.indexOf('class="closing"'));
  return Array.from(main.matchAll(/>([^<>]{20,})</g), ([, text]) => text!.trim());
}

const lists = ['/pricing', '/ru/pricing', '/locations', '/ru/locations', '/locations/de', '/ru/locations/de'];

describe.each(['/', '/ru/', ...lists])('%s', (url) => {
  const english = url.replace(/^\/ru/, '');

  test('says which address and language it has, and where the other one is', async () => {
    const { status, body, headers } = await read(url);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain(`<html lang="${url === english ? 'en' : 'ru'}"`);
    expect(body).toContain(`<link rel="canonical" href="https://shop.example.com${url}" />`);
    for (const [language, address] of [
      ['en', english],
      ['ru', `/ru${english}`],
      ['x-default', english],
    ] as const)
      expect(body).toContain(
        `<link rel="alternate" hreflang="${language}" href="https://shop.example.com${address}" />`,
      );
    expect(body).toMatch(/<title>[^<]+ – Прокси &#38; &#34;Co&#34;<\/title>/);
    expect(body).toMatch(/<meta name="description" content="[^"]{50,}"/);
    expect(body.match(/<h1>/g)).toHaveLength(1);
    expect(body).not.toContain('noindex');
    expect(body).not.toMatch(/undefined|NaN|\[object|<!-- (?:head|body) -->/);
  });

  test('has the header and the footer of all pages', async () => {
    const { body } = await read(url);
    const prefix = url === english ? '' : '/ru';
    for (const href of [`${prefix}/`, `${prefix}/pricing`, `${prefix}/locations`, '/sign-in', '/legal/terms'])
      expect(body).toContain(`href="${href}"`);
    expect(body.match(/<header/g)).toHaveLength(1);
    expect(body.match(/<footer/g)).toHaveLength(1);
  });
});

describe.each(lists)('%s', (url) => {
  const english = url.replace(/^\/ru/, '');

  test('has the numbers in the page itself', async () => {
    const { body } = await read(url);
    expect(body).toContain(url === english ? '$0.004' : '$0,004');
    expect(body).toContain(url === english ? '1,240' : '1\u00A0240');
    expect(body).toContain('/assets/flags-1.2.3/de.svg');
    expect(body).toContain('datetime="2026-11-20T14:32:10.000Z"');
  });

  test('is sent again only when something has changed', async () => {
    const { headers } = await read(url);
    const again = await read(url, { 'if-none-match': headers['etag']! });
    expect([again.status, again.body]).toEqual([304, '']);
    readStock = () => Promise.resolve({ ...stock, countries: [{ ...stock.countries[0]!, priceMicros: 7000n }] });
    const changed = await read(url, { 'if-none-match': headers['etag']! });
    expect(changed.status).toBe(200);
    expect(changed.body).toContain(url === english ? '$0.007' : '$0,007');
  });

  test('says that prices and stock cannot be read, and is then not listed', async () => {
    readStock = () => Promise.reject(new Error('the database is down'));
    const { status, body, headers } = await read(url);
    expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '60', 'no-store']);
    expect(body).toContain('noindex');
    expect(body).toContain('role="status"');
  });
});

test('prices are by country, in the order of their names', async () => {
  const { body } = await read('/pricing');
  expect(body.indexOf('Austria')).toBeLessThan(body.indexOf('Germany'));
  const row = /Germany<\/a><\/th>(.*?)<\/tr>/.exec(body)![1]!;
  expect(row).toBe('<td>$0.004</td><td>$4.10</td><td>1,240</td>');
  expect(body).toContain('The first 50 MB are charged at once, from $0.20.');
  expect(body).toContain('Within 30\u00A0minutes of the purchase');
  expect(body).toContain('Top up from $5.');
  expect(body).toMatch(/Accepted: .*BTC/);
});

test('locations name the operators with the most free proxies, and texts of a catalogue are no HTML', async () => {
  const { body } = await read('/locations');
  expect(body).toContain('Telekom, Vodafone');
  expect(body).toContain('&#60;script&#62;alert(1)&#60;/script&#62;, A1, Magenta, Drei, Spusu and 2 more');
  expect(body).not.toContain('<script>alert');
  expect((await read('/locations/at')).body).toContain('&#60;b&#62;Wien&#60;/b&#62;');
});

test('a price of a megabyte has three decimals on each page, rounded up', async () => {
  for (const [url, price] of [
    ['/pricing', '<td>$0.013</td><td>$12.80</td>'],
    ['/locations', 'from $0.013 per MB'],
    ['/ru/locations', 'от $0,013 за МБ'],
    ['/locations/at', '<dd>$0.013</dd>'],
  ] as const)
    expect((await read(url)).body).toContain(price);
});

test('a country without proxies is not found, and neither is a country that does not exist', async () => {
  const soldOut = await read('/locations/fr');
  expect(soldOut.status).toBe(404);
  expect(soldOut.body).toContain('noindex');
  expect(soldOut.body).toContain('France');
  for (const url of ['/locations/xx', '/locations/germany', '/locations/%3Cb%3E']) {
    const { status, headers } = await read(url);
    expect([url, status, headers['content-type']]).toEqual([url, 404, 'application/json; charset=utf-8']);
  }
});

describe('the landing page', () => {
  test('has the price of the price list, also if the cheapest proxy is not free, and what a dollar buys', async () => {
    const { body } = await read('/');
    expect(body).toMatch(/per megabyte<\/dt><dd>from \$0\.004</);
    expect(body).toMatch(/for \$1, some 100 web pages<\/dt><dd>250 MB</);
    readStock = () => Promise.resolve({ ...stock, countries: [{ ...stock.countries[1]! }] });
    expect((await read('/')).body).toMatch(/per megabyte<\/dt><dd>from \$0\.004</);
    expect((await read('/ru/')).body).toMatch(/за мегабайт<\/dt><dd>от \$0,004</);
  });

  test('has figures of the shop, and never rounds up to a hundred per cent', async () => {
    const { body } = await read('/');
    expect(body).toMatch(/99\.9%<\/dd><dd>Proxy checks in the last 30 days: 1,234,567\./);
    expect(body).toContain('120 ms');
    expect(body).toContain('1,204');
    expect(body).toContain('3,400');
    proof = { ...knownProof, checks: 100, passed: 100 };
    expect((await read('/')).body).toContain('100%<');
  });

  test('says no share of few checks', async () => {
    proof = { ...knownProof, checks: 99, passed: 99 };
    const { body } = await read('/');
    expect(body).toContain('Proxy checks</dt><dd class="value">99</dd><dd>In the last 30 days.');
    expect(body).not.toContain('100%<');
    expect((await read('/ru/')).body).toContain('Проверки прокси</dt><dd class="value">99</dd>');
  });

  test('of a new shop shows only what it has', async () => {
    proof = { priceMicros: undefined, checks: 0, passed: 0, latencyMs: undefined, receipts: 0, refunds: 0 };
    readStock = () => Promise.resolve({ countedAt: new Date(0), countries: [] });
    const { status, body } = await read('/');
    expect(status).toBe(200);
    for (const text of ['per megabyte', 'free now', 'Median', 'Checks passed', 'Refunds paid', 'Signed receipts'])
      expect(body).not.toContain(text);
  });

  test('is there while neither stock nor figures can be read', async () => {
    readStock = () => Promise.reject(new Error('the database is down'));
    proof = undefined;
    const { status, body } = await read('/');
    expect([status, body.includes('noindex')]).toEqual([200, false]);
    expect(body).toContain('<h1>Mobile proxies, paid by the megabyte</h1>');
  });

  test('says who runs it', async () => {
    const { body } = await read('/');
    expect(body).toContain('<address>Müller &#38; Söhne<br>1 Main Street<br>London<br>GB1<br><a href="mailto:help@');
  });

  test('says why there is no volume price, in both languages', async () => {
    expect((await read('/')).body).toContain('the first megabyte costs as much as the last one');
    expect((await read('/ru/')).body).toContain('первый мегабайт стоит столько же, сколько последний');
  });

  test('names no coin but those of this installation, and the echo of this shop', async () => {
    const { body } = await read('/');
    expect(body).toMatch(/You can pay in .*BTC/);
    expect(body).toContain('https://shop.example.com/v1/echo?nonce=my-address');
  });

  test('repeats nothing below the first screen that prices and locations show', async () => {
    const others = new Set([...(await readSentences('/pricing')), ...(await readSentences('/locations'))]);
    expect((await readSentences('/')).filter((text) => others.has(text))).toEqual([]);
  });
});

test('an address with a slash at the end leads to the one without', async () => {
  const { status, headers } = await read('/ru/locations/de/?utm=1');
  expect([status, headers['location']]).toEqual([301, '/ru/locations/de?utm=1']);
  expect((await read('/pricing/')).headers['location']).toBe('/pricing');
  expect((await read('/ru?utm=1')).headers['location']).toBe('/ru/?utm=1');
});

test('an empty shop says so', async () => {
  readStock = () => Promise.resolve({ countedAt: new Date(0), countries: [] });
  for (const url of ['/pricing', '/locations']) {
    const { status, body } = await read(url);
    expect([status, body.includes('No proxy is free at the moment')]).toEqual([200, true]);
    expect(body).not.toMatch(/<dd>0<|\b0 (?:operators|countries)/);
  }
});

test('without a public promo code the way in is the form', async () => {
  expect((await read('/pricing')).body).toContain('href="/sign-up">Sign up</a>');
});

test('a build of the web app without the template has no such pages', async () => {
  const without = Fastify();
  serveVisitorPages(without, path.join(root, 'assets'));
  expect((await without.inject('/pricing')).statusCode).toBe(404);
});
