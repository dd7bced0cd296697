/** The time range of the usage screen, in the URL and in the API's query. */
import type { UsageStep } from '@cellhop/contract/usage';
import { isDay, startOfDay } from '../../format/day.ts';
import type { RangeSearch } from './screen.ts';

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
/** Up to this length the chart shows hours, beyond it days. */
const HOURLY_DAYS_MAX = 2;

/** Of the URL: the last 7 days by default. */
export function toRange({ range, from, to }: RangeSearch): Range {
  return from !== undefined && to !== undefined ? { from, to } : { preset: range ?? 'week' };
}

export function fromRange(range: Range): RangeSearch {
  if ('from' in range) return { range: undefined, ...range };
  return { range: range.preset === 'week' ? undefined : range.preset, from: undefined, to: undefined };
}

/** Hours and days start in the user's time zone. The query changes at most once an hour. */
export function toQuery(range: Range, now: Date, timeZone: string): RangeQuery {
  if ('from' in range) {
    const from = startOfDay(range.from);
    const to = shiftDays(startOfDay(range.to), 1);
    const days = Math.round((to.getTime() - from.getTime()) / 86_400_000);
    return query(from, to, days <= HOURLY_DAYS_MAX ? 'hour' : 'day', timeZone);
  }
  if (range.preset === 'day') {
    const to = endOfHour(now);
    return query(new Date(to.getTime() - HOURS_OF_A_DAY * 3_600_000), to, 'hour', timeZone);
  }
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  return query(shiftDays(today, 1 - DAYS[range.preset]), shiftDays(today, 1), 'day', timeZone);
}

/** @returns the error of a custom range, or undefined */
export function rangeError(
  from: string,
  to: string,
  daysMax: number,
): 'incomplete' | 'reversed' | 'tooLong' | undefined {
  if (!isDay(from) || !isDay(to)) return 'incomplete';
  if (from > to) return 'reversed';
  return shiftDays(startOfDay(from), daysMax) <= startOfDay(to) ? 'tooLong' : undefined;
}

/** Not by the hour on the clock, which comes twice when daylight saving time ends. */
function endOfHour(now: Date): Date {
  const passedMs = (now.getMinutes() * 60 + now.getSeconds()) * 1000 + now.getMilliseconds();
  return new Date(now.getTime() - passedMs + 3_600_000);
}

function query(from: Date, to: Date, step: UsageStep, timeZone: string): RangeQuery {
  return { from: from.toISOString(), to: to.toISOString(), step, timeZone };
}

/** Uses the calendar, because a day can have 23 or 25 hours. */
function shiftDays(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}
