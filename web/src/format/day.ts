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

const DAY_FORMAT = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;

/** @returns the day, '' for an empty text, undefined for an invalid one */
export function parseDay(text: string): string | undefined {
  if (text === '') return '';
  const [, date = '', month = '', year = ''] = DAY_FORMAT.exec(text) ?? [];
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  return isDay(day) ? day : undefined;
}

/** @returns why a text is not a day, or undefined if it is one */
export function dayError(text: string): 'format' | 'unknown' | undefined {
  if (parseDay(text) !== undefined) return undefined;
  return DAY_FORMAT.test(text) ? 'unknown' : 'format';
}

/** Inserts dots while the user types, because a phone's numeric keypad has none. A pasted `2026-11-21` is converted. */
export function insertDots(before: string, typed: string): string {
  const pasted = /^\s*(\d{4}-\d{2}-\d{2})\s*$/.exec(typed)?.[1];
  if (pasted !== undefined) return formatDay(pasted);
  const text = typed
    .replaceAll(/[^\d.]+/g, '.')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^\./, '')
    .replace(/^(\d{2})(\d)/, '$1.$2')
    .replace(/^(\d{1,2}\.\d{2})(\d)/, '$1.$2')
    .slice(0, '21.11.2026'.length);
  const isLonger = typed.length > before.length;
  return isLonger && /^(?:\d{2}|\d{1,2}\.\d{2})$/.test(text) ? `${text}.` : text;
}
