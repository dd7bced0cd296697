/** The sources of exchange rates. */
import {
  askBinance,
  askBybit,
  askCoinbase,
  askCoingecko,
  askCoinpaprika,
  askKraken,
  askOkx,
  type AskSource,
  type SourceAccess,
} from './exchanges.ts';
import type { RateIds, RateSourceName } from './ids.ts';
import type { Asset } from './quote.ts';
import { FRESH_MS, type SourceQuote } from './rate-policy.ts';

interface SourceRules {
  url: string;
  ask: AskSource;
  /** Free plans allow a number of requests per month. */
  everyMs: number;
  /** How old its last quote may be. Those of slow sources confirm the price of the others (`rate-policy.ts`). */
  maxAgeMs: number;
  /** Its prices are in USDT. */
  isInUsdt?: true;
  needsKey?: true;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const often = { everyMs: 30 * SECOND_MS, maxAgeMs: FRESH_MS };

export const rateSources: Record<RateSourceName, SourceRules> = {
  kraken: { url: 'https://api.kraken.com', ask: askKraken, ...often },
  binance: { url: 'https://api.binance.com', ask: askBinance, ...often, isInUsdt: true },
  okx: { url: 'https://www.okx.com', ask: askOkx, ...often, isInUsdt: true },
  bybit: { url: 'https://api.bybit.com', ask: askBybit, ...often, isInUsdt: true },
  coinbase: { url: 'https://api.exchange.coinbase.com', ask: askCoinbase, ...often },
  // 10,000 requests a month. Its prices are up to a minute old.
  coingecko: {
    url: 'https://api.coingecko.com',
    ask: askCoingecko,
    everyMs: 5 * MINUTE_MS,
    maxAgeMs: 8 * MINUTE_MS,
    needsKey: true,
  },
  // 20,000 requests a month, one for each coin. Its prices are up to ten minutes old.
  coinpaprika: {
    url: 'https://api.coinpaprika.com',
    ask: askCoinpaprika,
    everyMs: 15 * MINUTE_MS,
    maxAgeMs: 27 * MINUTE_MS,
  },
};

export interface FetchedQuotes {
  quotes: SourceQuote[];
  /** Coins without a quote, and why: texts for the operator. */
  failures: string[];
}

/** @throws Error if the source has answered for none of the coins @param wanted coins; those without an id are left out */
export async function fetchQuotes(
  source: RateSourceName,
  access: SourceAccess,
  ids: RateIds,
  wanted: readonly Asset[],
): Promise<FetchedQuotes> {
  const asked = wanted.flatMap((asset) => {
    const id = ids[source][asset];
    return id === undefined ? [] : [{ asset, id }];
  });
  if (asked.length === 0) return { quotes: [], failures: [] };
  const answers = await rateSources[source].ask(
    access,
    asked.map(({ id }) => id),
  );
  const quotes: SourceQuote[] = [];
  const failures: { coin: string; message: string }[] = [];
  for (const { asset, id } of asked) {
    const answer = answers.get(id) ?? new Error('no answer');
    if (answer instanceof Error) failures.push({ coin: `${asset} (${id})`, message: answer.message });
    else quotes.push(withTraits({ ...answer, source, asset }));
  }
  if (quotes.length === 0) throw new Error([...new Set(failures.map(({ message }) => message))].join('; '));
  return { quotes, failures: failures.map(({ coin, message }) => `${coin}: ${message}`) };
}

/** What the policy must know of the source of a quote. */
export function withTraits(quote: Omit<SourceQuote, 'maxAgeMs' | 'isInUsdt'>): SourceQuote {
  const { maxAgeMs, isInUsdt = false } = rateSources[quote.source as RateSourceName];
  return { ...quote, maxAgeMs, isInUsdt };
}
