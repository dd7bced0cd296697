/** Decides from the quotes of several sources which rate to trust. The rules are those of docs/payments.md. */
import { PAR_RATE_E12 } from '../amounts.ts';
import type { Quote } from './quote.ts';

export interface SourceQuote extends Quote {
  source: string;
}

type QuoteRejection = 'STALE' | 'FROM_THE_FUTURE' | 'OUTLIER' | 'TOO_FEW_SOURCES' | 'JUMP' | 'DEPEG';

export interface RateDecision {
  /** Undefined: no rate can be trusted. */
  rateE12: bigint | undefined;
  /** The number of sources that agree. */
  sourceCount: number;
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
}

export function decideRate({ quotes, now, previous, isStable }: Question): RateDecision {
  const rejections = new Map<string, QuoteRejection>();
  const fresh = quotes.filter((quote) => keep(quote, rejections, ageProblem(quote, now)));
  const center = median(fresh.map(({ rateE12 }) => rateE12));
  const agreeing = fresh.filter((quote) =>
    keep(quote, rejections, isOff(quote.rateE12, center, OUTLIER_BASIS_POINTS) ? 'OUTLIER' : undefined),
  );
  const rejectRest = (reason: QuoteRejection): RateDecision => {
    for (const { source } of agreeing) rejections.set(source, reason);
    return { rateE12: undefined, sourceCount: agreeing.length, rejections };
  };
  const outlierCount = fresh.length - agreeing.length;
  if (agreeing.length < SOURCES_MIN || outlierCount * 2 >= fresh.length) return rejectRest('TOO_FEW_SOURCES');
  const rateE12 = median(agreeing.map((quote) => quote.rateE12));
  if (isStable && isOff(rateE12, PAR_RATE_E12, DEPEG_BASIS_POINTS)) return rejectRest('DEPEG');
  const isRecent = previous !== undefined && now.getTime() - previous.at.getTime() < JUMP_WINDOW_MS;
  if (isRecent && isOff(rateE12, previous.rateE12, JUMP_BASIS_POINTS)) return rejectRest('JUMP');
  return { rateE12, sourceCount: agreeing.length, rejections };
}

function keep(
  { source }: SourceQuote,
  rejections: Map<string, QuoteRejection>,
  problem: QuoteRejection | undefined,
): boolean {
  if (problem) rejections.set(source, problem);
  return problem === undefined;
}

function ageProblem({ at }: SourceQuote, now: Date): QuoteRejection | undefined {
  const ageMs = now.getTime() - at.getTime();
  if (ageMs > FRESH_MS) return 'STALE';
  return ageMs < -FUTURE_MS ? 'FROM_THE_FUTURE' : undefined;
}

/** The mean of the two middle ones if the count is even; 0 of none. */
export function median(rates: readonly bigint[]): bigint {
  const sorted = rates.toSorted((a, b) => Number(a - b));
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0n;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0n)) / 2n;
}

function isOff(rateE12: bigint, from: bigint, basisPoints: bigint): boolean {
  const difference = rateE12 > from ? rateE12 - from : from - rateE12;
  return difference * 10_000n > from * basisPoints;
}
