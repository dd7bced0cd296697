/** The sources of exchange rates. */
import { z } from 'zod';
import { fetchJson, parseNumericRate, parseRate, type Asset, type Quote } from './quote.ts';

export const rateSourceNames = ['kraken', 'binance', 'coinbase', 'coingecko', 'coinpaprika'] as const;
export type RateSourceName = (typeof rateSourceNames)[number];

interface SourceRules {
  url: string;
  /** @param key of the free or paid plan */
  fetch(baseUrl: string, signal: AbortSignal, key: string | undefined): Promise<Quote[]>;
  /** Free plans allow a number of requests per month. */
  everyMs: number;
  /** Its prices are in USDT. */
  isInUsdt?: true;
  needsKey?: true;
}

const EVERY_MS = 30_000;

export const rateSources: Record<RateSourceName, SourceRules> = {
  kraken: { url: 'https://api.kraken.com', fetch: fetchKraken, everyMs: EVERY_MS },
  binance: { url: 'https://api.binance.com', fetch: fetchBinance, everyMs: EVERY_MS, isInUsdt: true },
  coinbase: { url: 'https://api.exchange.coinbase.com', fetch: fetchCoinbase, everyMs: EVERY_MS },
  coingecko: { url: 'https://api.coingecko.com', fetch: fetchCoingecko, everyMs: 10 * EVERY_MS, needsKey: true },
  coinpaprika: { url: 'https://api.coinpaprika.com', fetch: fetchCoinpaprika, everyMs: 30 * EVERY_MS },
};

/** @param typed by the operator: empty for the default, `off` for none */
export function rateSourceUrls(
  typed: Record<RateSourceName, string>,
  hasKey: boolean,
): Partial<Record<RateSourceName, string>> {
  const chosen = rateSourceNames.flatMap((name) => {
    const { url, needsKey } = rateSources[name];
    const text = typed[name].trim();
    if (text === 'off' || (text === '' && needsKey && !hasKey)) return [];
    if (text !== '' && !/^https?:\/\/[^\s]+$/.test(text))
      throw new Error(`RATES_${name.toUpperCase()}_URL is neither an http address nor "off"`);
    return [[name, text === '' ? url : text] as const];
  });
  return Object.fromEntries(chosen);
}

/** Errors come with status 200. `c` is the last trade. The keys of the response are not those of the request. */
async function fetchKraken(baseUrl: string, signal: AbortSignal): Promise<Quote[]> {
  const pairs = [
    { asset: 'BTC', asked: 'XBTUSD', answered: 'XXBTZUSD' },
    { asset: 'ETH', asked: 'ETHUSD', answered: 'XETHZUSD' },
    { asset: 'LTC', asked: 'LTCUSD', answered: 'XLTCZUSD' },
    { asset: 'TRX', asked: 'TRXUSD', answered: 'TRXUSD' },
    { asset: 'USDT', asked: 'USDTUSD', answered: 'USDTZUSD' },
  ] as const;
  const schema = z.object({
    error: z.array(z.string()),
    result: z.record(z.string(), z.object({ c: z.tuple([z.string()]).rest(z.string()) })).default({}),
  });
  const url = address(baseUrl, '0/public/Ticker', { pair: pairs.map(({ asked }) => asked).join(',') });
  const { error, result } = schema.parse(await fetchJson(url, signal));
  if (error.length > 0) throw new Error(`Kraken: ${error.join(', ')}`);
  const at = new Date();
  return pairs.flatMap(({ asset, asked, answered }) => {
    const ticker = result[answered] ?? result[asked];
    return ticker ? [{ asset, rateE12: parseRate(ticker.c[0]), at }] : [];
  });
}

/** The prices are in USDT. Toncoin was renamed Gram in 2026. */
async function fetchBinance(baseUrl: string, signal: AbortSignal): Promise<Quote[]> {
  const symbols = { BTC: 'BTCUSDT', ETH: 'ETHUSDT', LTC: 'LTCUSDT', TRX: 'TRXUSDT', TON: 'GRAMUSDT' };
  const schema = z.array(z.object({ symbol: z.string(), lastPrice: z.string(), closeTime: z.int() }));
  const query = { type: 'MINI', symbols: JSON.stringify(Object.values(symbols)) };
  const tickers = schema.parse(await fetchJson(address(baseUrl, 'api/v3/ticker/24hr', query), signal));
  return byAsset(symbols).flatMap(([asset, symbol]) => {
    const ticker = tickers.find((each) => each.symbol === symbol);
    return ticker ? [{ asset, rateE12: parseRate(ticker.lastPrice), at: new Date(ticker.closeTime) }] : [];
  });
}

/** One request per coin. */
function fetchCoinbase(baseUrl: string, signal: AbortSignal): Promise<Quote[]> {
  const products = { BTC: 'BTC-USD', ETH: 'ETH-USD', LTC: 'LTC-USD', USDT: 'USDT-USD' };
  const schema = z.object({ price: z.string(), time: z.iso.datetime({ offset: true }) });
  return Promise.all(
    byAsset(products).map(async ([asset, product]) => {
      const { price, time } = schema.parse(await fetchJson(address(baseUrl, `products/${product}/ticker`), signal));
      return { asset, rateE12: parseRate(price), at: new Date(time) };
    }),
  );
}

/** Without a key the service refuses most requests. The ids are its own, because several coins share a ticker. */
async function fetchCoingecko(baseUrl: string, signal: AbortSignal, key: string | undefined): Promise<Quote[]> {
  const ids = {
    BTC: 'bitcoin',
    ETH: 'ethereum',
    LTC: 'litecoin',
    TRX: 'tron',
    TON: 'the-open-network',
    USDT: 'tether',
  };
  const schema = z.record(z.string(), z.object({ usd: z.number().positive(), last_updated_at: z.int() }));
  const query = { ids: Object.values(ids).join(','), vs_currencies: 'usd', include_last_updated_at: 'true' };
  const headers: Record<string, string> = key === undefined ? {} : { 'x-cg-demo-api-key': key };
  const prices = schema.parse(await fetchJson(address(baseUrl, 'api/v3/simple/price', query), signal, headers));
  return byAsset(ids).flatMap(([asset, id]) => {
    const price = prices[id];
    return price ? [{ asset, rateE12: parseNumericRate(price.usd), at: new Date(price.last_updated_at * 1000) }] : [];
  });
}

/** One request per coin. */
function fetchCoinpaprika(baseUrl: string, signal: AbortSignal): Promise<Quote[]> {
  const ids = { BTC: 'btc-bitcoin', ETH: 'eth-ethereum', LTC: 'ltc-litecoin', USDT: 'usdt-tether' };
  const schema = z.object({
    last_updated: z.iso.datetime({ offset: true }),
    quotes: z.object({ USD: z.object({ price: z.number().positive() }) }),
  });
  return Promise.all(
    byAsset(ids).map(async ([asset, id]) => {
      const { quotes, last_updated } = schema.parse(await fetchJson(address(baseUrl, `v1/tickers/${id}`), signal));
      return { asset, rateE12: parseNumericRate(quotes.USD.price), at: new Date(last_updated) };
    }),
  );
}

function byAsset(names: Partial<Record<Asset, string>>): [Asset, string][] {
  return Object.entries(names) as [Asset, string][];
}

/** Appends the path to a base address, which may have a path of its own. */
function address(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(path, baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}
