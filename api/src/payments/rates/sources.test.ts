import { afterEach, describe, expect, test, vi } from 'vitest';
import { readTables } from '../../../test/markdown-tables.ts';
import { answerOf, offerAt, type Offer } from '../../../test/rate-answers.ts';
import { defaultRateIds, rateSourceNames, readRateIds, type RateSourceName } from './ids.ts';
import { assets, parseRate } from './quote.ts';
import { fetchQuotes, rateSources } from './sources.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const access = { baseUrl: 'https://rates.example/mirror/', key: 'key', signal: new AbortController().signal };
const fetchFrom = (source: RateSourceName) => fetchQuotes(source, access, defaultRateIds, assets);

/** The same answer to each request. */
function answerWith(answer: unknown): void {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(text)));
}

function emulate(source: RateSourceName, offers: (id: string) => Offer | undefined): URL[] {
  const asked: URL[] = [];
  vi.stubGlobal('fetch', (url: URL) => {
    asked.push(url);
    const { status, body } = answerOf(source, url, offers);
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  return asked;
}

/** Kraken has no time in its answers. */
const NOW = '2026-11-22T12:00:00.000Z';

/** Examples of the public documentation, shortened. */
const documented: [RateSourceName, unknown, { rate: string; at: string }][] = [
  [
    'kraken',
    {
      error: [],
      result: {
        XXBTZUSD: {
          a: ['30300.10000', '1', '1.000'],
          b: ['30300.00000', '1', '1.000'],
          c: ['30303.20000', '0.00067643'],
          v: ['4083.67001100', '4412.73601799'],
        },
      },
    },
    { rate: '30300.05', at: NOW },
  ],
  [
    'binance',
    {
      symbol: 'BTCUSDT',
      lastPrice: '4.00000200',
      bidPrice: '4.00000000',
      bidQty: '100.00000000',
      askPrice: '4.00000200',
      openTime: 1_672_863_500_000,
      closeTime: 1_672_863_560_203,
    },
    { rate: '4.000001', at: '2023-01-04T20:19:20.203Z' },
  ],
  [
    'okx',
    {
      code: '0',
      msg: '',
      data: [
        {
          instType: 'SPOT',
          instId: 'BTC-USDT',
          last: '16839.1',
          lastSz: '0.31226082',
          askPx: '16839.1',
          askSz: '5.93754444',
          bidPx: '16839',
          bidSz: '0.16038',
          ts: '1672863560203',
        },
      ],
    },
    { rate: '16839.05', at: '2023-01-04T20:19:20.203Z' },
  ],
  [
    'bybit',
    {
      retCode: 0,
      retMsg: 'OK',
      result: {
        category: 'spot',
        list: [
          {
            symbol: 'BTCUSDT',
            bid1Price: '20517.96',
            bid1Size: '2',
            ask1Price: '20527.77',
            ask1Size: '1.862172',
            lastPrice: '20533.13',
            usdIndexPrice: '20784.12009279',
          },
        ],
      },
      retExtInfo: {},
      time: 1_673_859_087_947,
    },
    { rate: '20522.865', at: '2023-01-16T08:51:27.947Z' },
  ],
  [
    'coinbase',
    {
      ask: '6267.71',
      bid: '6265.15',
      volume: '53602.03940154',
      trade_id: 86_326_522,
      price: '6268.48',
      size: '0.00698254',
      time: '2020-03-20T00:22:57.833897Z',
    },
    { rate: '6266.43', at: '2020-03-20T00:22:57.833Z' },
  ],
  [
    'coingecko',
    { bitcoin: { usd: 67_187.3358936566, last_updated_at: 1_711_356_300 } },
    { rate: '67187.3358936566', at: '2024-03-25T08:45:00.000Z' },
  ],
  [
    'coinpaprika',
    {
      id: 'btc-bitcoin',
      name: 'Bitcoin',
      symbol: 'BTC',
      last_updated: '2020-11-14T07:20:41Z',
      quotes: { USD: { price: 5162.15941296, volume_24h: 7_304_207_651.1585 } },
    },
    { rate: '5162.15941296', at: '2020-11-14T07:20:41.000Z' },
  ],
];

describe.each(documented)('%s', (source, answer, { rate, at }) => {
  test('its documented answer is read', async () => {
    answerWith(answer);
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(NOW) });
    const { quotes } = await fetchQuotes(source, access, defaultRateIds, ['BTC']);
    const wanted = Number(parseRate(rate));
    expect(quotes).toEqual([expect.objectContaining({ asset: 'BTC', source })]);
    // Numbers of JSON have 15 digits.
    expect(Number(quotes[0]!.rateE12) / wanted).toBeCloseTo(1, 12);
    expect(quotes[0]!.at.toISOString()).toBe(at);
  });

  test('one coin that it does not know costs no other one', async () => {
    const unknown = defaultRateIds[source].ETH;
    emulate(source, (id) => (id === unknown ? undefined : offerAt(100)));
    const { quotes, failures } = await fetchFrom(source);
    const others = Object.keys(defaultRateIds[source]).filter((asset) => asset !== 'ETH');
    expect(quotes.map(({ asset }) => asset).toSorted()).toEqual(others.toSorted());
    expect(failures).toEqual([expect.stringContaining(`ETH (${unknown})`)]);
  });

  test('one coin whose price is nonsense costs no other one', async () => {
    const broken = defaultRateIds[source].LTC;
    const at = new Date();
    emulate(source, (id) => (id === broken ? { bid: '0', ask: '0', at } : offerAt(100, at)));
    const { quotes, failures } = await fetchFrom(source);
    expect(quotes).toHaveLength(Object.keys(defaultRateIds[source]).length - 1);
    expect(failures).toEqual([expect.stringContaining('LTC')]);
  });

  test.each([
    ['another form', { status: 'maintenance' }],
    ['a list', [1, 2, 3]],
    ['null', null],
    ['no JSON', '<html>502</html>'],
    ['NaN', '{"usd":NaN}'],
    ['more than 64 KiB', `["${'x'.repeat(70_000)}"]`],
  ])('%s is an error without a quote', async (_, answer) => {
    answerWith(answer);
    const fetched = fetchFrom(source).then(
      ({ quotes }) => quotes,
      () => [],
    );
    expect(await fetched).toEqual([]);
  });

  test('a silent source ends with the time limit, and what has arrived until then counts', async () => {
    const limit = new AbortController();
    vi.stubGlobal('fetch', (url: URL) => {
      const isAnswered = source === 'kraken' || source === 'coingecko' ? false : !/ETH|eth/.test(url.href);
      if (isAnswered)
        return Promise.resolve(new Response(JSON.stringify(answerOf(source, url, () => offerAt(100)).body)));
      return new Promise((_, reject) => limit.signal.addEventListener('abort', () => reject(new Error('time-out'))));
    });
    const fetching = fetchQuotes(source, { ...access, signal: limit.signal }, defaultRateIds, ['BTC', 'ETH']);
    await new Promise(setImmediate);
    limit.abort();
    const quotes = await fetching.then(
      ({ quotes }) => quotes.map(({ asset }) => asset),
      () => 'FAILED',
    );
    expect(quotes).toEqual(source === 'kraken' || source === 'coingecko' ? 'FAILED' : ['BTC']);
  });
});

// The answers of Coinbase name no coin: there, a wrong price is only an outlier.
test.each(documented.filter(([source]) => source !== 'coinbase'))(
  '%s: an answer for another coin is refused',
  async (source, answer) => {
    answerWith(answer);
    const { quotes } = await fetchQuotes(source, access, defaultRateIds, ['ETH']).catch(() => ({ quotes: [] }));
    expect(quotes).toEqual([]);
  },
);

test('Kraken is asked once for all pairs, and for each by itself only if one of them is unknown', async () => {
  const asked = emulate('kraken', () => offerAt(100));
  await fetchFrom('kraken');
  expect(asked).toHaveLength(1);
  const again = emulate('kraken', (id) => (id === 'GRAMUSD' ? undefined : offerAt(100)));
  await fetchFrom('kraken');
  expect(again.map(({ searchParams }) => searchParams.get('pair'))).toEqual([
    'XBTUSD,ETHUSD,LTCUSD,TRXUSD,GRAMUSD,USDTUSD',
    'XBTUSD',
    'ETHUSD',
    'LTCUSD',
    'TRXUSD',
    'GRAMUSD',
    'USDTUSD',
  ]);
});

test('a market whose offers are far apart or crossed has no price', async () => {
  for (const [bid, ask] of [
    ['100', '103'],
    ['101', '100'],
  ] as const) {
    emulate('okx', () => ({ bid, ask, at: new Date() }));
    await expect(fetchFrom('okx')).rejects.toThrow(`${bid} and ${ask} are no offers of a market that works`);
  }
});

test('a time that no clock shows is refused, because neither JavaScript nor the database could store it', async () => {
  for (const closeTime of [8_640_000_000_000_001, -1, 0, 1e300]) {
    answerWith({ symbol: 'BTCUSDT', bidPrice: '1', askPrice: '1', closeTime });
    await expect(fetchQuotes('binance', access, defaultRateIds, ['BTC'])).rejects.toThrow('no time of a quote');
  }
});

test('the key of a paid plan of CoinGecko is another header, at its own host', async () => {
  const calls: unknown[] = [];
  vi.stubGlobal('fetch', (url: URL, { headers }: { headers: Record<string, string> }) => {
    calls.push([url.host, headers]);
    return Promise.resolve(new Response('{}', { status: 400 }));
  });
  const paid = { ...access, baseUrl: 'https://pro-api.coingecko.com', key: 'secret' };
  await expect(fetchQuotes('coingecko', paid, defaultRateIds, ['BTC'])).rejects.toThrow('status 400');
  expect(calls).toEqual([['pro-api.coingecko.com', { accept: 'application/json', 'x-cg-pro-api-key': 'secret' }]]);
});

test('the key of CoinGecko is a header, and part of no message', async () => {
  const calls: unknown[] = [];
  vi.stubGlobal('fetch', (url: URL, { headers }: RequestInit) => {
    calls.push({ href: url.href.includes('secret'), headers });
    return Promise.resolve(new Response('{}', { status: 500 }));
  });
  await expect(fetchQuotes('coingecko', { ...access, key: 'secret' }, defaultRateIds, ['BTC'])).rejects.toThrow(
    /^rates\.example returned status 500$/,
  );
  expect(calls).toEqual([{ href: false, headers: { accept: 'application/json', 'x-cg-demo-api-key': 'secret' } }]);
});

describe('the ids', () => {
  test('TRX and TON have at least three sources without a key, that are asked often', () => {
    for (const asset of ['TRX', 'TON'] as const) {
      const prompt = rateSourceNames.filter(
        (name) =>
          defaultRateIds[name][asset] !== undefined &&
          !rateSources[name].needsKey &&
          rateSources[name].everyMs <= 30_000,
      );
      expect(prompt.length).toBeGreaterThanOrEqual(3);
    }
  });

  test('are those of the documentation', () => {
    const table = readTables('docs/payments.md').find(({ section }) => section === 'Names of coins');
    expect(table?.rows).toEqual(
      assets.map((asset) => ({
        Coin: asset,
        ...Object.fromEntries(rateSourceNames.map((name) => [`\`${name}\``, defaultRateIds[name][asset] ?? 'none'])),
      })),
    );
  });

  test('can be replaced or left out without a release', async () => {
    const ids = readRateIds(['binance.TON=TONUSDT', 'coinpaprika.TON=ton-toncoin', 'kraken.TON=off']);
    expect(ids.binance).toEqual({ ...defaultRateIds.binance, TON: 'TONUSDT' });
    const asked = emulate('coinpaprika', () => offerAt(2.5));
    await fetchQuotes('coinpaprika', access, ids, ['TON']);
    expect(asked.map(({ pathname }) => pathname)).toEqual(['/mirror/v1/tickers/ton-toncoin']);
    expect(await fetchQuotes('kraken', access, ids, ['TON'])).toEqual({ quotes: [], failures: [] });
  });

  test.each([
    ['binance.TON', 'is no source.COIN=id'],
    ['bingx.TON=GRAM-USDT', 'sources are kraken'],
    ['binance.DOGE=DOGEUSDT', 'coins BTC'],
    ['binance.TON=TON/USDT', 'is no source.COIN=id'],
    ['okx.USDT=USDT-USD', 'its prices are in USDT'],
    ['binance.TON=TRXUSDT', 'binance would use TRXUSDT for two coins'],
  ])('%s is refused at the start', (override, sentence) => {
    expect(() => readRateIds([override])).toThrow(sentence);
  });
});
