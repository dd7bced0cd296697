import { z } from 'zod';
import { fetchJson, withSlash, parseNumericRate, type Asset, type Quote } from './quote.ts';

const ids: Partial<Record<Asset, string>> = {
  BTC: 'btc-bitcoin',
  ETH: 'eth-ethereum',
  LTC: 'ltc-litecoin',
  USDT: 'usdt-tether',
};

const schema = z.object({
  last_updated: z.iso.datetime({ offset: true }),
  quotes: z.object({ USD: z.object({ price: z.number().positive() }) }),
});

/** One request per coin. */
export function fetchCoinpaprika(baseUrl: string, signal: AbortSignal): Promise<Quote[]> {
  return Promise.all(
    Object.entries(ids).map(async ([asset, id]) => {
      const { quotes, last_updated } = schema.parse(
        await fetchJson(new URL(`v1/tickers/${id}`, withSlash(baseUrl)), signal),
      );
      return { asset: asset as Asset, rateE12: parseNumericRate(quotes.USD.price), at: new Date(last_updated) };
    }),
  );
}
