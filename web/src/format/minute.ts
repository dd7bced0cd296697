/** Times of a day in the user's time zone: `2026-11-21T14:05` in URLs, `21.11.2026 14:05` on the screen. */
import { dayError, describeDay, formatDay, parseDay } from './day.ts';
import { twoDigits } from './format.ts';

interface Parts {
  day: string;
  hour: string;
  minute: string;
}

/** `21.11.2026 14:05`; '' for no time. */
export function formatMinute(minute: string): string {
  const [day = '', time = ''] = minute.split('T');
  return `${formatDay(day)} ${time}`.trim();
}

/** `Sat, 21 Nov 2026, 14:05`: what a field repeats. */
export function describeMinute(minute: string, language: string): string {
  const [day = '', time = ''] = minute.split('T');
  return `${describeDay(day, language)}, ${time}`;
}

/** A day as `parseDay` takes it, and the hours and minutes after it. Without separators too, because a phone's numeric keypad has none. */
const minuteFormats = [
  /^(?<day>.*\d)(?:\s+|,\s*|T)(?<hour>\d{1,2})[:.](?<minute>\d{2})$/,
  /^(?<day>\d{8})\s*(?<hour>\d{2})(?<minute>\d{2})$/,
];

/** @returns the minute, '' for an empty text, undefined for an invalid one */
export function parseMinute(text: string): string | undefined {
  if (text.trim() === '') return '';
  const { day: dayText = '', hour = '', minute = '' } = matchMinute(text) ?? {};
  const day = parseDay(dayText);
  if (day === undefined || day === '') return undefined;
  const read = `${day}T${hour.padStart(2, '0')}:${minute}`;
  return isMinute(read) ? read : undefined;
}

/** @returns why a text is not a minute, or undefined if it is one */
export function minuteError(text: string): 'format' | 'unknown' | undefined {
  if (parseMinute(text) !== undefined) return undefined;
  const parts = matchMinute(text);
  return parts === undefined ? 'format' : (dayError(parts.day) ?? 'unknown');
}

/** False for 24:00, and for the hour that a day of 23 hours lacks. */
function isMinute(minute: string): boolean {
  const date = new Date(minute);
  return minute.endsWith(`T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`);
}

function matchMinute(text: string): Parts | undefined {
  const match = minuteFormats.map((format) => format.exec(text.trim())).find((found) => found !== null);
  return match?.groups as Parts | undefined;
}
