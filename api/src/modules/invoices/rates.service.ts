/** Exchange rates: fetched in the background from several sources, accepted by a policy, and stored. */
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { PAR_RATE_E12 } from '../../payments/amounts.ts';
import { currencyRules } from '../../payments/currencies.ts';
import { assets, type Asset, type Quote, type RateSource } from '../../payments/rates/quote.ts';
import {
  decideRate,
  FRESH_MS,
  JUMP_WINDOW_MS,
  LARGE_MICROS,
  LARGE_SOURCES_MIN,
  median,
  type SourceQuote,
} from '../../payments/rates/rate-policy.ts';
import { rateSourceNames, rateSources, type RateSourceName } from '../../payments/rates/sources.ts';
import * as store from './rates.store.ts';

const FETCH_LIMIT_MS = 10_000;
/** If no rate was accepted for this long before a payment arrived, it gets the first rate after its arrival. */
const ARRIVAL_WINDOW_MS = 5 * 60_000;
const QUOTES_KEPT_MS = 2 * 86_400_000;
const RATES_KEPT_MS = 90 * 86_400_000;

/** Queries sources whose pause is over, and decides on the rates of their coins. */
export async function fetchRates(ctx: Ctx): Promise<void> {
  if (ctx.config.isDevelopment) return;
  const fetched = await Promise.all(rateSourceNames.map((name) => fetchIfDue(ctx, name)));
  const quotes = fetched.flat();
  if (quotes.length === 0) return;
  // Quotes in USDT need its price in dollars, so that price is decided first.
  const inDollars = quotes.filter(({ source }) => !isInUsdt(source));
  if (inDollars.length > 0) await store.insertQuotes(ctx, inDollars);
  const converted = await convert(
    ctx,
    quotes.filter(({ source }) => isInUsdt(source)),
  );
  if (converted.length > 0) await store.insertQuotes(ctx, converted);
  for (const asset of assets) if (quotes.some((quote) => quote.asset === asset)) await decide(ctx, asset);
}

/** The accepted rates. */
export function storedRates(ctx: Ctx): RateSource {
  return {
    async rateE12(currency, amountMicros = 0n) {
      const { asset, isStable } = currencyRules[currency];
      const rate = await store.findRateBefore(ctx, asset, 'now', FRESH_MS);
      if (!rate || (amountMicros > LARGE_MICROS && rate.sourceCount < LARGE_SOURCES_MIN)) return undefined;
      return isStable ? PAR_RATE_E12 : rate.rateE12;
    },
    async rateE12At(currency, at) {
      const { asset, isStable } = currencyRules[currency];
      if (isStable) return PAR_RATE_E12;
      const before = await store.findRateBefore(ctx, asset, at, ARRIVAL_WINDOW_MS);
      return (before ?? (await store.findRateAfter(ctx, asset, at)))?.rateE12;
    },
  };
}

export async function deleteOldRates(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'quotes', (ctx, limit) => store.deleteQuotesBefore(ctx, ago(QUOTES_KEPT_MS), limit));
  await cleanUp(ctx, 'rates', (ctx, limit) => store.deleteRatesBefore(ctx, ago(RATES_KEPT_MS), limit));
}

function ago(ms: number): Date {
  return new Date(Date.now() - ms);
}

/** Records a failing source; it does not delay others. */
async function fetchIfDue(ctx: Ctx, source: RateSourceName): Promise<SourceQuote[]> {
  const { rateUrls, coingeckoKey } = ctx.config.payments;
  const url = rateUrls[source];
  const { everyMs } = rateSources[source];
  if (url === undefined || !(await store.claimFetch(ctx, source, everyMs))) return [];
  let quotes: Quote[];
  try {
    quotes = await rateSources[source].fetch(url, AbortSignal.timeout(FETCH_LIMIT_MS), coingeckoKey);
  } catch (error) {
    ctx.log.warn({ err: error, source }, 'exchange rates could not be fetched');
    await store.saveFailure(ctx, source, describe(error));
    return [];
  }
  await store.saveSuccess(ctx, source);
  return quotes.map((quote) => ({ ...quote, source }));
}

const FAILURE_LENGTH_MAX = 200;

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, FAILURE_LENGTH_MAX);
}

function isInUsdt(source: string): boolean {
  return rateSources[source as RateSourceName].isInUsdt === true;
}

/** Empty while the price of USDT is unknown. */
async function convert(ctx: Ctx, quotes: readonly SourceQuote[]): Promise<SourceQuote[]> {
  if (quotes.length === 0) return [];
  const now = Date.now();
  const usdt = (await store.listNewestQuotes(ctx, 'USDT')).filter(({ at }) => now - at.getTime() <= FRESH_MS);
  if (usdt.length === 0) return [];
  const usdtE12 = median(usdt.map(({ rateE12 }) => rateE12));
  return quotes.map((quote) => ({ ...quote, rateE12: (quote.rateE12 * usdtE12) / PAR_RATE_E12 }));
}

async function decide(ctx: Ctx, asset: Asset): Promise<void> {
  const now = new Date();
  const quotes = await store.listNewestQuotes(ctx, asset);
  const previous = await store.findRateBefore(ctx, asset, 'now', JUMP_WINDOW_MS);
  const { rateE12, sourceCount, rejections } = decideRate({ quotes, now, previous, isStable: asset === 'USDT' });
  const byId = quotes.flatMap(({ id, source }) => {
    const reason = rejections.get(source);
    return reason ? [[id, reason] as const] : [];
  });
  if (byId.length > 0) await store.saveRejections(ctx, new Map(byId));
  if (rateE12 !== undefined) await store.insertRate(ctx, asset, rateE12, sourceCount);
  else ctx.log.warn({ asset, rejections: Object.fromEntries(rejections) }, 'no exchange rate can be trusted');
}
