const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Pauses after the first mail of a day, after the second, and so on. */
const INTERVALS_MS = [1, 2, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);
const RESENDS_PER_DAY_MAX = 5;

export interface Wait {
  /** 0 when a mail may be sent now. */
  waitMs: number;
  /** The daily limit is reached, as opposed to a running pause. */
  isLimit: boolean;
}

/**
 * How long until the next mail of one kind may be sent to one address.
 * @param agesMs how long ago each mail was sent, newest first
 */
export function waitBeforeSending(agesMs: readonly number[]): Wait {
  // Whole milliseconds, so that rounding errors do not shorten a day.
  const ages = agesMs.map(Math.floor);
  const refusal = refusalIn(0, ages);
  if (refusal === undefined) return { waitMs: 0, isLimit: false };
  // A refusal can end with a pause, or when a mail becomes a day old, which also shortens the pause.
  const moments = [...INTERVALS_MS.map((intervalMs) => intervalMs - ages[0]!), ...ages.map((ageMs) => DAY_MS - ageMs)];
  const later = moments.filter((waitMs) => waitMs > 0).sort((one, other) => one - other);
  return { waitMs: later.find((waitMs) => refusalIn(waitMs, ages) === undefined)!, isLimit: refusal === 'LIMIT' };
}

function refusalIn(waitMs: number, agesMs: readonly number[]): 'LIMIT' | 'PAUSE' | undefined {
  const isRecent = (ageMs: number) => ageMs + waitMs < DAY_MS;
  // The oldest mail is the first one, not a resend.
  if (agesMs.slice(0, -1).filter(isRecent).length >= RESENDS_PER_DAY_MAX) return 'LIMIT';
  const recentCount = agesMs.filter(isRecent).length;
  if (recentCount === 0) return undefined;
  return agesMs[0]! + waitMs < INTERVALS_MS[recentCount - 1]! ? 'PAUSE' : undefined;
}
