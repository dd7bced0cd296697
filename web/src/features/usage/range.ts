/** Which time the usage screen shows, as the address names it and as the API wants it. */
import type { UsageStep } from '@cellhop/contract/usage';

export const presets = ['day', 'week', 'month'] as const;
type Preset = (typeof presets)[number];

/** `from` and `to`: days such as `2026-11-21`, both included. */
export type Range = { preset: Preset } | { from: string; to: string };

export interface RangeQuery {
  from: string;
  to: string;
  step: UsageStep;
  timeZone: string;
}

const DAYS: Record<Exclude<Preset, 'day'>, number> = { week: 7, month: 30 };
const HOURS_OF_A_DAY = 24;
/** Up to here a chart of hours says more than one of days. */
const HOURLY_DAYS_MAX = 2;

/** The reader's own time zone decides where hours and days begin. The answer changes once an hour at most. */
export function toQuery(range: Range, now: Date, timeZone: string): RangeQuery {
  if ('from' in range) {
    const from = dayStart(range.from);
    const to = shiftDays(dayStart(range.to), 1);
    const days = Math.round((to.getTime() - from.getTime()) / 86_400_000);
    return query(from, to, days <= HOURLY_DAYS_MAX ? 'hour' : 'day', timeZone);
  }
  if (range.preset === 'day') {
    const to = new Date(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours() + 1);
    return query(new Date(to.getTime() - HOURS_OF_A_DAY * 3_600_000), to, 'hour', timeZone);
  }
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  return query(shiftDays(today, 1 - DAYS[range.preset]), shiftDays(today, 1), 'day', timeZone);
}

/** @returns what is wrong with an own range, or undefined */
export function findFault(
  from: string,
  to: string,
  daysMax: number,
): 'incomplete' | 'reversed' | 'tooLong' | undefined {
  if (!isDay(from) || !isDay(to)) return 'incomplete';
  if (from > to) return 'reversed';
  return shiftDays(dayStart(from), daysMax) <= dayStart(to) ? 'tooLong' : undefined;
}

/** `2026-11-21` of the reader's calendar. */
export function toDay(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

export function isDay(text: unknown): text is string {
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) && toDay(dayStart(text)) === text;
}

function query(from: Date, to: Date, step: UsageStep, timeZone: string): RangeQuery {
  return { from: from.toISOString(), to: to.toISOString(), step, timeZone };
}

function dayStart(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(2000, month - 1, date);
  // A Date takes the years 0 to 99 for 1900 to 1999.
  start.setFullYear(year, month - 1, date);
  return start;
}

/** By the calendar: a day of 23 or 25 hours is one day. */
function shiftDays(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}
