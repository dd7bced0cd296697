/** Months such as `2026-11`, in the user's time zone. */
import { startOfDay, toDay } from '../../format/day.ts';

/** Older ones can be opened by URL. */
const LISTED_MONTHS = 24;

export function toMonth(date: Date): string {
  return toDay(date).slice(0, 7);
}

/** The month of `now` and the ones before it, newest first. */
export function recentMonths(now: Date): string[] {
  return Array.from({ length: LISTED_MONTHS }, (_, ago) =>
    toMonth(new Date(now.getFullYear(), now.getMonth() - ago, 1)),
  );
}

/** The API's `to` is exclusive. */
export function monthQuery(month: string): { from: string; to: string } {
  const from = startOfDay(`${month}-01`);
  const to = new Date(from.getFullYear(), from.getMonth() + 1, 1);
  return { from: from.toISOString(), to: to.toISOString() };
}

/** `November 2026`. */
export function monthName(month: string, language: string): string {
  return new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric' }).format(startOfDay(`${month}-01`));
}
