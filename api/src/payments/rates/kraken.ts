import { z } from 'zod';
import { fetchJson, withSlash, parseRate, type Asset, type Quote } from './quote.ts';

/** The keys of the response are not those of the request. */
const pairs: Partial<Record<Asset, { asked: string; answered: string }>> = {
  BTC: { asked: 'XBTUSD', answered: 'XXBTZUSD' },
  ETH: { asked: 'ETHUSD', answered: 'XETHZUSD' },
  LTC: { asked: 'LTCUSD', answered: 'XLTCZUSD' },
  TRX: { asked: 'TRXUSD', answered: 'TRXUSD' },
  USDT: { asked: 'USDTUSD', answered: 'USDTZUSD' },
};

/** Errors come with status 200. `c` is the last trade. */
const schema = z.object({
  error: z.array(z.string()),
  result: z.record(z.string(), z.object({ c: z.tuple([z.string()]).rest(z.string()) })).default({}),
});

export async function fetchKraken(baseUrl: string, signal: AbortSignal): Promise<Quote[]> {
  const url = new URL('0/public/Ticker', withSlash(baseUrl));
  url.searchParams.set(
    'pair',
    Object.values(pairs)
      .map(({ asked }) => asked)
      .join(','),
  );
  const { error, result } = schema.parse(await fetchJson(url, signal));
  if (error.length > 0) throw new Error(`Kraken: ${error.join(', ')}`);
  const at = new Date();
  return Object.entries(pairs).flatMap(([asset, { asked, answered }]) => {
    const ticker = result[answered] ?? result[asked];
    return ticker ? [{ asset: asset as Asset, rateE12: parseRate(ticker.c[0]), at }] : [];
  });
}
