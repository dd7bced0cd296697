/** Days in the user's time zone: `2026-11-21` in URLs and API queries, `21.11.2026` on the screen. */
import { twoDigits } from './format.ts';

/** `2026-11-21` in the user's time zone. */
export function toDay(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
}

export function isDay(text: unknown): text is string {
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) && toDay(startOfDay(text)) === text;
}

/** Midnight in the user's time zone. Uses the calendar, because a day can have 23 or 25 hours. */
export function startOfDay(day: string, daysLater = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(2000, month - 1, date + daysLater);
  // The Date constructor reads the years 0 to 99 as 1900 to 1999.
  start.setFullYear(year, month - 1, date + daysLater);
  return start;
}

/** `21.11.2026`; '' for no day. */
export function formatDay(day: string): string {
  return day.split('-').toReversed().join('.');
}

/** `Fri, 11 Dec 2026`: what a field repeats, because many countries write the month first. */
export function describeDay(day: string, language: string): string {
  // The British order has the day before the month, as fields have.
  return startOfDay(day).toLocaleDateString(language === 'en' ? 'en-GB' : language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
}

/** Day first, as dates are shown, or with the year first. Without separators too, because a phone's numeric keypad has none. */
const dayFormats = [
  /^(?<date>\d{1,2})(?<mark>[./ -])(?<month>\d{1,2})\k<mark>(?<year>\d{4})$/,
  /^(?<date>\d{2})(?<month>\d{2})(?<year>\d{4})$/,
  /^(?<year>\d{4})-(?<month>\d{2})-(?<date>\d{2})$/,
];

/** @returns the day, '' for an empty text, undefined for an invalid one */
export function parseDay(text: string): string | undefined {
  if (text.trim() === '') return '';
  const { date = '', month = '', year = '' } = matchDay(text)?.groups ?? {};
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  return isDay(day) ? day : undefined;
}

/** @returns why a text is not a day, or undefined if it is one */
export function dayError(text: string): 'format' | 'unknown' | undefined {
  if (parseDay(text) !== undefined) return undefined;
  return matchDay(text) === undefined ? 'format' : 'unknown';
}

function matchDay(text: string): RegExpExecArray | null | undefined {
  return dayFormats.find((format) => format.test(text.trim()))?.exec(text.trim());
}
