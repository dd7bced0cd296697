import { z } from 'zod';
import { fetchJson, withSlash, parseNumericRate, type Asset, type Quote } from './quote.ts';

/** The provider's own ids: several coins share a ticker. */
const ids: Record<Asset, string> = {
  BTC: 'bitcoin',
  ETH: 'ethereum',
  LTC: 'litecoin',
  TRX: 'tron',
  TON: 'the-open-network',
  USDT: 'tether',
};

const schema = z.record(z.string(), z.object({ usd: z.number().positive(), last_updated_at: z.int() }));

/** @param key of the free or paid plan; without one the service refuses most requests */
export async function fetchCoingecko(baseUrl: string, signal: AbortSignal, key: string | undefined): Promise<Quote[]> {
  const url = new URL('api/v3/simple/price', withSlash(baseUrl));
  url.searchParams.set('ids', Object.values(ids).join(','));
  url.searchParams.set('vs_currencies', 'usd');
  url.searchParams.set('include_last_updated_at', 'true');
  const headers: Record<string, string> = key === undefined ? {} : { 'x-cg-demo-api-key': key };
  const prices = schema.parse(await fetchJson(url, signal, headers));
  return Object.entries(ids).flatMap(([asset, id]) => {
    const price = prices[id];
    return price
      ? [{ asset: asset as Asset, rateE12: parseNumericRate(price.usd), at: new Date(price.last_updated_at * 1000) }]
      : [];
  });
}
