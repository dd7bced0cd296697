/** The sources of exchange rates. */
import { fetchBinance } from './binance.ts';
import { fetchCoinbase } from './coinbase.ts';
import { fetchCoingecko } from './coingecko.ts';
import { fetchCoinpaprika } from './coinpaprika.ts';
import { fetchKraken } from './kraken.ts';
import type { Quote } from './quote.ts';

export const rateSourceNames = ['kraken', 'binance', 'coinbase', 'coingecko', 'coinpaprika'] as const;
export type RateSourceName = (typeof rateSourceNames)[number];

interface SourceRules {
  url: string;
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
