import { z } from 'zod';
import { fetchJson, withSlash, parseRate, type Asset, type Quote } from './quote.ts';

const products: Partial<Record<Asset, string>> = { BTC: 'BTC-USD', ETH: 'ETH-USD', LTC: 'LTC-USD', USDT: 'USDT-USD' };

const schema = z.object({ price: z.string(), time: z.iso.datetime({ offset: true }) });

/** One request per coin. */
export function fetchCoinbase(baseUrl: string, signal: AbortSignal): Promise<Quote[]> {
  return Promise.all(
    Object.entries(products).map(async ([asset, product]) => {
      const url = new URL(`products/${product}/ticker`, withSlash(baseUrl));
      const { price, time } = schema.parse(await fetchJson(url, signal));
      return { asset: asset as Asset, rateE12: parseRate(price), at: new Date(time) };
    }),
  );
}
