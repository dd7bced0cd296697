/** Decides from the quotes of several sources which rate to trust. The rules are those of docs/payments.md. */
import { PAR_RATE_E12 } from '../amounts.ts';
import type { Quote } from './quote.ts';

export interface SourceQuote extends Quote {
  source: string;
  /** How old it may be. Above FRESH_MS its source is a slow one. */
  maxAgeMs: number;
  /** It was converted from USDT. */
  isInUsdt: boolean;
}

type QuoteRejection = 'STALE' | 'FROM_THE_FUTURE' | 'OUTLIER' | 'TOO_FEW_SOURCES' | 'JUMP' | 'DEPEG';

export interface RateDecision {
  /** Undefined: no rate can be trusted. */
  rateE12: bigint | undefined;
  /** The price that enough sources agree on, even if it is refused because of its change; undefined if too few agree. */
  marketE12: bigint | undefined;
  /** The number of sources that agree. Those with prices in USDT count no more than the sources of the price of USDT. */
  sourceCount: number;
  /** Why there is no rate. */
  problem: QuoteRejection | undefined;
  rejections: ReadonlyMap<string, QuoteRejection>;
}

export const FRESH_MS = 120_000;
const FUTURE_MS = 30_000;
const SOURCES_MIN = 2;
const OUTLIER_BASIS_POINTS = 200n;
const JUMP_BASIS_POINTS = 1500n;
export const JUMP_WINDOW_MS = 15 * 60_000;
const DEPEG_BASIS_POINTS = 200n;

/** Large amounts need one more source. */
export const LARGE_MICROS = 1_000_000_000n;
export const LARGE_SOURCES_MIN = 3;

interface Question {
  /** Quotes of one coin, at most one per source. */
  quotes: readonly SourceQuote[];
  now: Date;
  /** The last accepted rate. */
  previous: { rateE12: bigint; at: Date } | undefined;
  isStable: boolean;
  /** How many sources agree on the price of USDT. */
  usdtSourceCount: number;
}

/**
 * The price is that of the prompt sources. A slow one confirms it, but cannot change it: several of them may agree on the price of a
 * quarter of an hour ago, and somebody who knows the new one would choose when to pay.
 */
export function decideRate({ quotes, now, previous, isStable, usdtSourceCount }: Question): RateDecision {
  const rejections = new Map<string, QuoteRejection>();
  const fresh = quotes.filter((quote) => keep(quote, rejections, ageProblem(quote, now)));
  const prompt = fresh.filter(isPrompt);
  const center = median(prompt.map(({ rateE12 }) => rateE12));
  const agreeing = fresh.filter((quote) =>
    keep(quote, rejections, isOff(quote.rateE12, center, OUTLIER_BASIS_POINTS) ? 'OUTLIER' : undefined),
  );
  const agreeingPrompt = agreeing.filter(isPrompt);
  const sourceCount = countSources(agreeing, usdtSourceCount);
  const refuse = (problem: QuoteRejection, marketE12?: bigint): RateDecision => {
    for (const { source } of agreeing) rejections.set(source, problem);
    return { rateE12: undefined, marketE12, sourceCount, problem, rejections };
  };
  const outlierCount = prompt.length - agreeingPrompt.length;
  if (sourceCount < SOURCES_MIN || outlierCount * 2 >= prompt.length) return refuse('TOO_FEW_SOURCES');
  const rateE12 = median(agreeingPrompt.map((quote) => quote.rateE12));
  if (isStable && isOff(rateE12, PAR_RATE_E12, DEPEG_BASIS_POINTS)) return refuse('DEPEG', rateE12);
  const isRecent = previous !== undefined && now.getTime() - previous.at.getTime() < JUMP_WINDOW_MS;
  if (isRecent && isOff(rateE12, previous.rateE12, JUMP_BASIS_POINTS)) return refuse('JUMP', rateE12);
  return { rateE12, marketE12: rateE12, sourceCount, problem: undefined, rejections };
}

/** @param usdtE12 undefined while too few sources agree on the price of USDT: then prices in USDT say nothing */
export function convertFromUsdt(quotes: readonly SourceQuote[], usdtE12: bigint | undefined): SourceQuote[] {
  if (usdtE12 === undefined) return [];
  return quotes.flatMap((quote) => {
    const rateE12 = (quote.rateE12 * usdtE12) / PAR_RATE_E12;
    return rateE12 === 0n ? [] : [{ ...quote, rateE12 }];
  });
}

function isPrompt({ maxAgeMs }: SourceQuote): boolean {
  return maxAgeMs <= FRESH_MS;
}

/** Whoever moves the price of USDT moves all prices in USDT, so they are no more independent than its sources. */
function countSources(agreeing: readonly SourceQuote[], usdtSourceCount: number): number {
  const inUsdt = agreeing.filter(({ isInUsdt }) => isInUsdt).length;
  return agreeing.length - inUsdt + Math.min(inUsdt, usdtSourceCount);
}

function keep(
  { source }: SourceQuote,
  rejections: Map<string, QuoteRejection>,
  problem: QuoteRejection | undefined,
): boolean {
  if (problem) rejections.set(source, problem);
  return problem === undefined;
}

function ageProblem({ at, maxAgeMs }: SourceQuote, now: Date): QuoteRejection | undefined {
  const ageMs = now.getTime() - at.getTime();
  if (ageMs > maxAgeMs) return 'STALE';
  return ageMs < -FUTURE_MS ? 'FROM_THE_FUTURE' : undefined;
}

/** The mean of the two middle ones if the count is even; 0 of none. */
function median(rates: readonly bigint[]): bigint {
  const sorted = rates.toSorted((a, b) => Number(a - b));
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0n;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0n)) / 2n;
}

function isOff(rateE12: bigint, from: bigint, basisPoints: bigint): boolean {
  const difference = rateE12 > from ? rateE12 - from : from - rateE12;
  return difference * 10_000n > from * basisPoints;
}
