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
  const [newestMs] = agesMs;
  if (newestMs === undefined) return { waitMs: 0, isLimit: false };
  const isRecent = (ageMs: number) => ageMs < DAY_MS;
  // The oldest of all is the first mail, which nobody had to ask for again.
  const recentResends = agesMs.slice(0, -1).filter(isRecent);
  const limitingMs = recentResends[RESENDS_PER_DAY_MAX - 1];
  if (limitingMs !== undefined) return { waitMs: DAY_MS - limitingMs, isLimit: true };
  const recentCount = agesMs.filter(isRecent).length;
  const intervalMs = recentCount === 0 ? 0 : INTERVALS_MS[recentCount - 1]!;
  return { waitMs: Math.max(0, intervalMs - newestMs), isLimit: false };
}
