import { z } from 'zod';
import { fetchJson, withSlash, parseRate, type Asset, type Quote } from './quote.ts';

/** Toncoin was renamed Gram in 2026. */
const symbols: Partial<Record<Asset, string>> = {
  BTC: 'BTCUSDT',
  ETH: 'ETHUSDT',
  LTC: 'LTCUSDT',
  TRX: 'TRXUSDT',
  TON: 'GRAMUSDT',
};

const schema = z.array(z.object({ symbol: z.string(), lastPrice: z.string(), closeTime: z.int() }));

/** The prices are in USDT. */
export async function fetchBinance(baseUrl: string, signal: AbortSignal): Promise<Quote[]> {
  const url = new URL('api/v3/ticker/24hr', withSlash(baseUrl));
  url.searchParams.set('type', 'MINI');
  url.searchParams.set('symbols', JSON.stringify(Object.values(symbols)));
  const tickers = schema.parse(await fetchJson(url, signal));
  return Object.entries(symbols).flatMap(([asset, symbol]) => {
    const ticker = tickers.find((each) => each.symbol === symbol);
    return ticker
      ? [{ asset: asset as Asset, rateE12: parseRate(ticker.lastPrice), at: new Date(ticker.closeTime) }]
      : [];
  });
}
