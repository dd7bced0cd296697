import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { parseRate } from '../../payments/rates/quote.ts';
import { fetchRates, storedRates } from './rates.service.ts';

/** Answers of the sources by path; a missing one is status 500. */
let answers: Record<string, unknown>;
let server: Server;
let testApp: TestApp;

beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  const now = new Date();
  answers = {
    '/kraken/0/public/Ticker': ticker('100000', '1.0002'),
    '/binance/api/v3/ticker/24hr': [{ symbol: 'BTCUSDT', lastPrice: '100100.00', closeTime: now.getTime() }],
    '/coinbase/products/BTC-USD/ticker': { price: '100200', time: now.toISOString() },
    '/coinbase/products/ETH-USD/ticker': { price: '4000', time: now.toISOString() },
    '/coinbase/products/LTC-USD/ticker': { price: '100', time: now.toISOString() },
    '/coinbase/products/USDT-USD/ticker': { price: '1.0', time: now.toISOString() },
    '/coingecko/api/v3/simple/price': { ethereum: { usd: 4010.5, last_updated_at: Math.floor(now.getTime() / 1000) } },
  };
  server = createServer((request, response) => {
    const answer = answers[new URL(request.url!, 'http://x').pathname];
    response.writeHead(answer === undefined ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await testApp.reset();
  const urls = ['kraken', 'binance', 'coinbase', 'coingecko'].map((name) => [name, `${origin}/${name}/`] as const);
  Object.assign(testApp.ctx.config, { isDevelopment: false });
  testApp.ctx.config.payments.rateUrls = Object.fromEntries(urls);
});
afterEach(async () => {
  vi.useRealTimers();
  await new Promise((resolve) => server.close(resolve));
});

const ticker = (btc: string, usdt: string) => ({
  error: [],
  result: { XXBTZUSD: { c: [btc, '1'] }, USDTZUSD: { c: [usdt, '1'] } },
});
const rateOf = (currency: 'BTC' | 'ETH' | 'LTC' | 'USDT_ERC20', amountMicros?: bigint) =>
  storedRates(testApp.ctx).rateE12(currency, amountMicros);
const fetchAgain = async () => {
  await testApp.database.query('update rate_sources set next_fetch_at = now()');
  await fetchRates(testApp.ctx);
};

test('rates are accepted from several sources, and prices in USDT are converted', async () => {
  await fetchRates(testApp.ctx);
  // Binance: 100100 USDT at the middle of 1.0002 and 1 dollars.
  expect(await rateOf('BTC')).toBe(parseRate('100110.01'));
  expect(await rateOf('ETH')).toBe(parseRate('4005.25'));
  expect(await rateOf('USDT_ERC20')).toBe(parseRate('1'));
});

test('a currency with one source has no rate; other currencies are not affected', async () => {
  await fetchRates(testApp.ctx);
  expect([await rateOf('LTC'), await rateOf('BTC')]).toEqual([undefined, expect.any(BigInt)]);
});

test('large amounts need a third source', async () => {
  await fetchRates(testApp.ctx);
  const large = 1_000_000_001n;
  expect([await rateOf('ETH', large), await rateOf('BTC', large)]).toEqual([undefined, expect.any(BigInt)]);
});

test('a source that fails or sends invalid data is recorded and delays no other', async () => {
  delete answers['/binance/api/v3/ticker/24hr'];
  answers['/coingecko/api/v3/simple/price'] = { ethereum: { usd: 'much', last_updated_at: 'now' } };
  await fetchRates(testApp.ctx);
  const failing = await testApp.database.query<{ source: string; failure: string }>(
    'select source, failure from rate_sources where failing_since is not null order by source',
  );
  expect(failing.map(({ source }) => source)).toEqual(['binance', 'coingecko']);
  expect(failing[0]!.failure).toMatch(/status 500$/);
  expect(await rateOf('BTC')).toBe(parseRate('100100'));
});

test('an accepted rate applies at once, also for a process whose clock is behind that of the database', async () => {
  await fetchRates(testApp.ctx);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 5000 });
  expect(await rateOf('USDT_ERC20')).toBe(parseRate('1'));
});

const paprikaTicker = (price: number) => ({ last_updated: new Date().toISOString(), quotes: { USD: { price } } });

test('CoinPaprika is queried for each coin by its id, and its numbers become exact rates', async () => {
  const origin = new URL(testApp.ctx.config.payments.rateUrls.kraken!).origin;
  Object.assign(answers, {
    '/coinpaprika/v1/tickers/btc-bitcoin': paprikaTicker(100_300.123456789),
    '/coinpaprika/v1/tickers/eth-ethereum': paprikaTicker(4000.5),
    '/coinpaprika/v1/tickers/ltc-litecoin': paprikaTicker(100.25),
    '/coinpaprika/v1/tickers/usdt-tether': paprikaTicker(0.99987654),
  });
  testApp.ctx.config.payments.rateUrls = { coinpaprika: `${origin}/coinpaprika` };
  await fetchRates(testApp.ctx);
  const quotes = await testApp.database.query<{ asset: string; rate: number }>(
    `select asset, (rate_e12 / 1000000000000)::float8 as rate from rate_quotes where source = 'coinpaprika' order by asset`,
  );
  expect(quotes).toEqual([
    { asset: 'BTC', rate: expect.closeTo(100_300.123456789, 6) as number },
    { asset: 'ETH', rate: 4000.5 },
    { asset: 'LTC', rate: 100.25 },
    { asset: 'USDT', rate: 0.99987654 },
  ]);
});

test('CoinPaprika fails as a whole if one coin has no price', async () => {
  const origin = new URL(testApp.ctx.config.payments.rateUrls.kraken!).origin;
  answers['/coinpaprika/v1/tickers/btc-bitcoin'] = { last_updated: new Date().toISOString(), quotes: { USD: {} } };
  testApp.ctx.config.payments.rateUrls = { coinpaprika: `${origin}/coinpaprika` };
  await fetchRates(testApp.ctx);
  const failing = await testApp.database.query('select source from rate_sources where failing_since is not null');
  expect(failing).toEqual([{ source: 'coinpaprika' }]);
});

test('errors with status 200 are errors', async () => {
  answers['/kraken/0/public/Ticker'] = { error: ['EService:Unavailable'] };
  await fetchRates(testApp.ctx);
  const [kraken] = await testApp.database.query(`select failure from rate_sources where source = 'kraken'`);
  expect(kraken).toEqual({ failure: 'Kraken: EService:Unavailable' });
});

test('a jump is rejected, and the rejected quotes contain the reason', async () => {
  await fetchRates(testApp.ctx);
  answers['/kraken/0/public/Ticker'] = ticker('130000', '1');
  answers['/binance/api/v3/ticker/24hr'] = [{ symbol: 'BTCUSDT', lastPrice: '130000', closeTime: Date.now() }];
  answers['/coinbase/products/BTC-USD/ticker'] = { price: '130000', time: new Date().toISOString() };
  await fetchAgain();
  expect(await rateOf('BTC')).toBe(parseRate('100110.01'));
  const rejected = await testApp.database.query(
    `select distinct rejection from rate_quotes where asset = 'BTC' and rejection is not null`,
  );
  expect(rejected).toEqual([{ rejection: 'JUMP' }]);
});

test('without a fresh rate there is none, and a payment gets the one of its arrival, or the first after it', async () => {
  await fetchRates(testApp.ctx);
  await testApp.database.query(`update exchange_rates set accepted_at = accepted_at - interval '10 minutes'`);
  expect(await rateOf('BTC')).toBeUndefined();
  const at = (minutes: number) => storedRates(testApp.ctx).rateE12At('BTC', new Date(Date.now() - minutes * 60_000));
  expect(await at(8)).toBe(parseRate('100110.01'));
  expect(await at(20)).toBe(parseRate('100110.01'));
  expect(await at(1)).toBeUndefined();
});

test('two workers query each source once', async () => {
  await Promise.all([fetchRates(testApp.ctx), fetchRates(testApp.ctx)]);
  const [count] = await testApp.database.query(
    `select count(*)::int as count from rate_quotes where source = 'coinbase'`,
  );
  expect(count).toEqual({ count: 4 });
});
