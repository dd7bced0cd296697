/** Exchange rates: fetched in the background from several sources, accepted by a policy, and stored. */
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { PAR_RATE_E12 } from '../../payments/amounts.ts';
import { currencyRules } from '../../payments/currencies.ts';
import { rateSourceNames, type RateSourceName } from '../../payments/rates/ids.ts';
import { assets, type Asset, type Peg, type RateSource } from '../../payments/rates/quote.ts';
import {
  convertFromUsdt,
  decideRate,
  FRESH_MS,
  JUMP_WINDOW_MS,
  LARGE_MICROS,
  LARGE_SOURCES_MIN,
  type RateDecision,
  type SourceQuote,
} from '../../payments/rates/rate-policy.ts';
import { fetchQuotes, rateSources } from '../../payments/rates/sources.ts';
import { configuredCurrencies } from '../../payments/settings.ts';
import * as store from './rates.store.ts';

const FETCH_LIMIT_MS = 10_000;
/** If no rate was accepted for this long before a payment arrived, it gets the first rate after its arrival. */
const ARRIVAL_WINDOW_MS = 5 * 60_000;
/** Longer than any quote may be old. */
const QUOTES_USED_MS = 30 * 60_000;
const QUOTES_KEPT_MS = 2 * 86_400_000;
const RATES_KEPT_MS = 90 * 86_400_000;

/** Queries sources whose pause is over, and decides on the rates of their coins. */
export async function fetchRates(ctx: Ctx): Promise<void> {
  if (ctx.config.isDevelopment) return;
  const fetched = await Promise.all(rateSourceNames.map((name) => fetchIfDue(ctx, name)));
  const quotes = fetched.flat();
  if (quotes.length === 0) return;
  // Quotes in USDT need its price in dollars, so that price is decided first.
  await insertAll(
    ctx,
    quotes.filter(({ isInUsdt }) => !isInUsdt),
  );
  const usdt = await judge(ctx, 'USDT');
  await insertAll(
    ctx,
    convertFromUsdt(
      quotes.filter(({ isInUsdt }) => isInUsdt),
      usdt.decision.marketE12,
    ),
  );
  for (const asset of assets) if (quotes.some((quote) => quote.asset === asset)) await decide(ctx, asset, usdt);
}

/** The accepted rates. */
export function storedRates(ctx: Ctx): RateSource {
  return {
    async rateE12(currency, amountMicros = 0n) {
      const { asset, isStable } = currencyRules[currency];
      const rate = await store.findRateBefore(ctx, asset, 'now', FRESH_MS);
      if (!rate || (amountMicros > LARGE_MICROS && rate.sourceCount < LARGE_SOURCES_MIN)) return undefined;
      if (!isStable) return rate.rateE12;
      return (await readPeg(ctx)).isKept ? PAR_RATE_E12 : undefined;
    },
    async rateE12At(currency, at) {
      const { asset, isStable } = currencyRules[currency];
      if (isStable) return PAR_RATE_E12;
      const before = await store.findRateBefore(ctx, asset, at, ARRIVAL_WINDOW_MS);
      return (before ?? (await store.findRateAfter(ctx, asset, at)))?.rateE12;
    },
    peg: () => readPeg(ctx),
  };
}

/** A lost peg counts at once; missing quotes only when the last accepted rate is too old. */
async function readPeg(ctx: Ctx): Promise<Peg> {
  const { rateE12, marketE12, problem } = (await judge(ctx, 'USDT')).decision;
  if (problem === 'DEPEG') return { isKept: false, marketE12 };
  const isKept = rateE12 !== undefined || (await store.findRateBefore(ctx, 'USDT', 'now', FRESH_MS)) !== undefined;
  return isKept ? { isKept } : { isKept, marketE12 };
}

export async function deleteOldRates(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'quotes', (ctx, limit) => store.deleteQuotesBefore(ctx, ago(QUOTES_KEPT_MS), limit));
  await cleanUp(ctx, 'rates', (ctx, limit) => store.deleteRatesBefore(ctx, ago(RATES_KEPT_MS), limit));
}

function ago(ms: number): Date {
  return new Date(Date.now() - ms);
}

/** Records a failing source, and the coins that a working one does not answer for. Neither delays others. */
async function fetchIfDue(ctx: Ctx, source: RateSourceName): Promise<SourceQuote[]> {
  const { rateUrls, rateIds, coingeckoKey: key } = ctx.config.payments;
  const baseUrl = rateUrls[source];
  const { everyMs } = rateSources[source];
  if (baseUrl === undefined || !(await store.claimFetch(ctx, source, everyMs))) return [];
  const access = { baseUrl, key, signal: AbortSignal.timeout(FETCH_LIMIT_MS) };
  try {
    const { quotes, failures } = await fetchQuotes(source, access, rateIds, assetsInUse(ctx));
    await store.saveSuccess(ctx, source, failures.length === 0 ? null : shorten(failures.join('; ')));
    return quotes;
  } catch (error) {
    ctx.log.warn({ err: error, source }, 'exchange rates could not be fetched');
    await store.saveFailure(ctx, source, shorten(error instanceof Error ? error.message : String(error)));
    return [];
  }
}

/** The coins of the currencies that are set up, and the one that others are converted from. */
function assetsInUse(ctx: Ctx): Asset[] {
  const used = new Set(configuredCurrencies(ctx.config.payments).map((currency) => currencyRules[currency].asset));
  return assets.filter((asset) => asset === 'USDT' || used.has(asset));
}

const FAILURE_LENGTH_MAX = 200;

function shorten(text: string): string {
  return text.slice(0, FAILURE_LENGTH_MAX);
}

async function insertAll(ctx: Ctx, quotes: readonly SourceQuote[]): Promise<void> {
  if (quotes.length > 0) await store.insertQuotes(ctx, quotes);
}

interface Judgement {
  quotes: readonly store.StoredQuote[];
  decision: RateDecision;
}

/** What the newest quotes of the sources in use say. @param usdtSourceCount sources that agree on the price of USDT */
async function judge(ctx: Ctx, asset: Asset, usdtSourceCount = 0): Promise<Judgement> {
  const { rateUrls } = ctx.config.payments;
  // Others are turned off, or known to another release only.
  const inUse = rateSourceNames.filter((name) => rateUrls[name] !== undefined);
  const quotes = await store.listNewestQuotes(ctx, asset, inUse, QUOTES_USED_MS);
  const previous = await store.findRateBefore(ctx, asset, 'now', JUMP_WINDOW_MS);
  const isStable = asset === 'USDT';
  return { quotes, decision: decideRate({ quotes, now: new Date(), previous, isStable, usdtSourceCount }) };
}

async function decide(ctx: Ctx, asset: Asset, usdt: Judgement): Promise<void> {
  const isUsdt = asset === 'USDT';
  const { quotes, decision } = isUsdt ? usdt : await judge(ctx, asset, usdt.decision.sourceCount);
  const { rateE12, sourceCount, rejections } = decision;
  const byId = quotes.flatMap(({ id, source }) => {
    const reason = rejections.get(source);
    return reason ? [[id, reason] as const] : [];
  });
  if (byId.length > 0) await store.saveRejections(ctx, new Map(byId));
  if (rateE12 !== undefined) await store.insertRate(ctx, asset, rateE12, sourceCount);
  else ctx.log.warn({ asset, rejections: Object.fromEntries(rejections) }, 'no exchange rate can be trusted');
}
