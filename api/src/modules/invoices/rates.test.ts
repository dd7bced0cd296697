import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Currency } from '@cellhop/contract/invoices.values';
import { answerOf, type Offer } from '../../../test/rate-answers.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { parseAccountKey } from '../../payments/derive/account-key.ts';
import type { RateSourceName } from '../../payments/rates/ids.ts';
import { parseRate } from '../../payments/rates/quote.ts';
import { fetchRates, storedRates } from './rates.service.ts';

/** What the sources offer, by id. A source that is not listed fails with status 500. */
let offers: Partial<Record<RateSourceName, Record<string, Offer>>>;
/** Bodies that a source sends to any request instead. */
let bodies: Partial<Record<RateSourceName, unknown>>;
let server: Server;
let testApp: TestApp;

beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  bodies = {};
  offers = {
    kraken: { XBTUSD: exactly('100000'), USDTUSD: exactly('1.0002') },
    binance: { BTCUSDT: exactly('100100') },
    coinbase: {
      'BTC-USD': exactly('100200'),
      'ETH-USD': exactly('4000'),
      'LTC-USD': exactly('100'),
      'USDT-USD': exactly('1.0'),
    },
    coingecko: { ethereum: exactly('4010.5') },
  };
  server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    const source = url.pathname.split('/')[1] as RateSourceName;
    const { [source]: known } = offers;
    const { status, body } = known ? answerOf(source, url, (id) => known[id]) : { status: 500, body: {} };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(bodies[source] ?? body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await testApp.reset();
  Object.assign(testApp.ctx.config, { isDevelopment: false });
  const { payments } = testApp.ctx.config;
  useSources('kraken', 'binance', 'coinbase', 'coingecko');
  // Only coins of currencies that are set up are asked for.
  payments.accounts = { btc: account, ltc: account, evm: account };
  payments.urls = Object.fromEntries(
    ['bitcoin', 'litecoin', 'ethereum'].map((chain) => [chain, ['http://127.0.0.1:1']]),
  );
});
afterEach(async () => {
  vi.useRealTimers();
  await new Promise((resolve) => server.close(resolve));
});

const account = parseAccountKey(
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
);
const exactly = (price: string, at = new Date()): Offer => ({ bid: price, ask: price, at });
function useSources(...names: RateSourceName[]): void {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  testApp.ctx.config.payments.rateUrls = Object.fromEntries(names.map((name) => [name, `${origin}/${name}/`]));
}
const rateOf = (currency: Currency, amountMicros?: bigint) => storedRates(testApp.ctx).rateE12(currency, amountMicros);
const fetchAgain = async () => {
  await testApp.database.query('update rate_sources set next_fetch_at = now()');
  await fetchRates(testApp.ctx);
};
const sourceRow = async (source: RateSourceName) => {
  const [row] = await testApp.database.query<{ isFailing: boolean; failure: string | null }>(
    'select failing_since is not null as "isFailing", failure from rate_sources where source = $1',
    [source],
  );
  return row;
};

test('rates are accepted from several sources, and prices in USDT are converted', async () => {
  await fetchRates(testApp.ctx);
  // Binance: 100100 USDT at the middle of 1.0002 and 1 dollars.
  expect(await rateOf('BTC')).toBe(parseRate('100110.01'));
  // CoinGecko is slow: it confirms the price of Coinbase.
  expect(await rateOf('ETH')).toBe(parseRate('4000'));
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
  delete offers.binance;
  bodies.coingecko = { ethereum: { usd: 'much', last_updated_at: 'now' } };
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

test('CoinPaprika is queried for each coin by its id, and its numbers become exact rates', async () => {
  offers.coinpaprika = {
    'btc-bitcoin': exactly('100300.123456789'),
    'eth-ethereum': exactly('4000.5'),
    'ltc-litecoin': exactly('100.25'),
    'usdt-tether': exactly('0.99987654'),
  };
  useSources('coinpaprika');
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

test('a coin that a source does not know any more costs its quote, not the source, and staff see which', async () => {
  await fetchRates(testApp.ctx);
  // Kraken has ETH and LTC no more, which refuses its whole list of pairs.
  expect(await sourceRow('kraken')).toEqual({
    isFailing: false,
    failure: 'ETH (ETHUSD): Kraken does not know the pair; LTC (LTCUSD): Kraken does not know the pair',
  });
  expect((await sourceRow('binance'))?.failure).toMatch(/^ETH \(ETHUSDT\): .* status 400; LTC \(LTCUSDT\)/);
  expect(await rateOf('BTC')).toBeDefined();
  offers.kraken = { XBTUSD: exactly('1'), ETHUSD: exactly('1'), LTCUSD: exactly('1'), USDTUSD: exactly('1') };
  await fetchAgain();
  expect(await sourceRow('kraken')).toEqual({ isFailing: false, failure: null });
});

test('a source without any coin fails as a whole', async () => {
  bodies.kraken = { error: ['EService:Unavailable'] };
  await fetchRates(testApp.ctx);
  expect(await sourceRow('kraken')).toEqual({ isFailing: true, failure: 'Kraken: EService:Unavailable' });
});

test('TON has a rate from sources without a key, which quote it in USDT', async () => {
  testApp.ctx.config.payments.urls.ton = ['http://127.0.0.1:1'];
  Object.assign(testApp.ctx.config.payments.accounts, { ton: account });
  useSources('kraken', 'binance', 'okx', 'bybit', 'coinbase', 'coinpaprika');
  Object.assign(offers, {
    binance: { GRAMUSDT: exactly('2.5') },
    okx: { 'GRAM-USDT': exactly('2.51') },
    bybit: { GRAMUSDT: exactly('2.49') },
  });
  await fetchRates(testApp.ctx);
  expect(await rateOf('TON')).toBe(parseRate('2.50025'));
  // Two sources know the price of USDT, so all prices in USDT count as two.
  expect(await rateOf('TON', 1_000_000_001n)).toBeUndefined();
  offers.coinpaprika = { 'usdt-tether': exactly('1'), 'toncoin-the-open-network': exactly('2.52') };
  await fetchAgain();
  expect(await rateOf('TON', 1_000_000_001n)).toBeDefined();
});

test('prices in USDT say nothing while only one source knows the price of USDT', async () => {
  delete offers.coinbase!['USDT-USD'];
  await fetchRates(testApp.ctx);
  const converted = await testApp.database.query(`select from rate_quotes where source = 'binance'`);
  expect(converted).toEqual([]);
});

test('a slow source confirms a rate during all of its pause', async () => {
  useSources('coinbase', 'coinpaprika');
  offers.coinpaprika = { 'ltc-litecoin': exactly('100.5') };
  await fetchRates(testApp.ctx);
  expect(await rateOf('LTC')).toBe(parseRate('100'));
  const minutesLater = async (minutes: number) => {
    await testApp.database.query(
      `update rate_quotes set quoted_at = quoted_at - $1 * interval '1 minute', fetched_at = fetched_at - $1 * interval '1 minute'`,
      [minutes],
    );
    await testApp.database.query('delete from exchange_rates');
    await testApp.database.query(`update rate_sources set next_fetch_at = now() where source = 'coinbase'`);
    await fetchRates(testApp.ctx);
    return rateOf('LTC');
  };
  expect(await minutesLater(20)).toBe(parseRate('100'));
  expect(await minutesLater(8)).toBeUndefined();
});

test('one answer that no database can store does not stop the other sources', async () => {
  bodies.binance = { symbol: 'BTCUSDT', bidPrice: '1', askPrice: '1', closeTime: 8_640_000_000_000_001 };
  await fetchRates(testApp.ctx);
  expect(await rateOf('BTC')).toBe(parseRate('100100'));
  expect((await sourceRow('binance'))?.isFailing).toBe(true);
});

test('a stablecoin that has lost its peg has no rate at once, and its market price is known', async () => {
  await fetchRates(testApp.ctx);
  expect(await storedRates(testApp.ctx).peg()).toEqual({ isKept: true });
  offers.kraken = { XBTUSD: exactly('100000'), USDTUSD: exactly('0.8') };
  offers.coinbase = { ...offers.coinbase, 'USDT-USD': exactly('0.802') };
  await fetchAgain();
  expect(await storedRates(testApp.ctx).peg()).toEqual({ isKept: false, marketE12: parseRate('0.801') });
  expect(await rateOf('USDT_ERC20')).toBeUndefined();
  // Other coins keep their price in dollars.
  expect(await rateOf('BTC')).toBe(parseRate('100100'));
});

test('whether the peg is kept is unknown when the last rate is too old', async () => {
  expect(await storedRates(testApp.ctx).peg()).toEqual({ isKept: false, marketE12: undefined });
  await fetchRates(testApp.ctx);
  offers = {};
  await testApp.database.query(`update rate_quotes set quoted_at = quoted_at - interval '3 minutes'`);
  await fetchAgain();
  expect(await storedRates(testApp.ctx).peg()).toEqual({ isKept: true });
  await testApp.database.query(`update exchange_rates set accepted_at = accepted_at - interval '3 minutes'`);
  expect(await storedRates(testApp.ctx).peg()).toEqual({ isKept: false, marketE12: undefined });
});

test('a jump is rejected, and the rejected quotes contain the reason', async () => {
  await fetchRates(testApp.ctx);
  offers.kraken = { XBTUSD: exactly('130000'), USDTUSD: exactly('1') };
  offers.binance = { BTCUSDT: exactly('130000') };
  offers.coinbase = { 'BTC-USD': exactly('130000'), 'USDT-USD': exactly('1') };
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
