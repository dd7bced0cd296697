const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The pause after the first mail of a day, after the second, and so on. */
const INTERVALS_MS = [1, 2, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);
const RESENDS_PER_DAY_MAX = 5;

export interface Wait {
  /** 0 when a mail may be sent now. */
  waitMs: number;
  /** The day's number is used up, not only the pause still running. */
  isLimit: boolean;
}

/**
 * How long until the next mail of one kind may go to one address.
 * @param agesMs how long ago each mail was sent, the newest first
 */
export function waitBeforeSending(agesMs: readonly number[]): Wait {
  // Whole milliseconds: a sum that should be a day must not be a hair less.
  const ages = agesMs.map(Math.floor);
  const refusal = refusalIn(0, ages);
  if (refusal === undefined) return { waitMs: 0, isLimit: false };
  // What refuses ends with a pause, or when a mail is a day old: then the pause of one mail fewer counts as well.
  const moments = [...INTERVALS_MS.map((intervalMs) => intervalMs - ages[0]!), ...ages.map((ageMs) => DAY_MS - ageMs)];
  const later = moments.filter((waitMs) => waitMs > 0).sort((one, other) => one - other);
  return { waitMs: later.find((waitMs) => refusalIn(waitMs, ages) === undefined)!, isLimit: refusal === 'LIMIT' };
}

function refusalIn(waitMs: number, agesMs: readonly number[]): 'LIMIT' | 'PAUSE' | undefined {
  const isRecent = (ageMs: number) => ageMs + waitMs < DAY_MS;
  // The oldest of all is the first mail, which nobody had to ask for again.
  if (agesMs.slice(0, -1).filter(isRecent).length >= RESENDS_PER_DAY_MAX) return 'LIMIT';
  const recentCount = agesMs.filter(isRecent).length;
  if (recentCount === 0) return undefined;
  return agesMs[0]! + waitMs < INTERVALS_MS[recentCount - 1]! ? 'PAUSE' : undefined;
}
