/** Days of the reader's calendar: `2026-11-21` in addresses and questions, `21.11.2026` to be read and written. */

/** `2026-11-21` of the reader's calendar. */
export function toDay(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

export function isDay(text: unknown): text is string {
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) && toDay(startOfDay(text)) === text;
}

/** Midnight where the reader is. By the calendar: a day of 23 or 25 hours is one day. */
export function startOfDay(day: string, daysLater = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(2000, month - 1, date + daysLater);
  // A Date takes the years 0 to 99 for 1900 to 1999.
  start.setFullYear(year, month - 1, date + daysLater);
  return start;
}

/** `21.11.2026`, and nothing for no day. */
export function writeDay(day: string): string {
  return day.split('-').toReversed().join('.');
}

const WRITTEN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;

/** @returns the day that somebody has written, '' for nothing, undefined for what is no day */
export function readDay(text: string): string | undefined {
  if (text === '') return '';
  const [, date = '', month = '', year = ''] = WRITTEN.exec(text) ?? [];
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  return isDay(day) ? day : undefined;
}

/** @returns why a text is no day, or undefined */
export function dayFault(text: string): 'format' | 'unknown' | undefined {
  if (readDay(text) !== undefined) return undefined;
  return WRITTEN.test(text) ? 'unknown' : 'format';
}

/** What somebody types, with the dots that a phone's keypad does not have. A day such as 2026-11-21 is turned round. */
export function withDots(before: string, typed: string): string {
  const pasted = /^\s*(\d{4}-\d{2}-\d{2})\s*$/.exec(typed)?.[1];
  if (pasted !== undefined) return writeDay(pasted);
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
