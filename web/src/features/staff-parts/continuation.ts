/**
 * Only the first rows of a long list can be paged through. To reach the others, the list continues after the last of these: a timestamp in
 * the URL limits the list to the rows after it.
 */
import type { Search } from '../../loading/search-values.ts';
import { startOfDay } from '../../format/day.ts';

/** Days in the user's time zone, such as 2026-11-21, both included; undefined for none. */
export interface Days {
  from?: string | undefined;
  to?: string | undefined;
}

export interface Moments {
  /** Only rows at or after this time, such as 2026-11-21T10:00:00.000Z. */
  since?: string | undefined;
  /** Only rows before this time. */
  until?: string | undefined;
}

/** Lists in other orders cannot be continued. */
export type TimeOrder = 'OLDEST_FIRST' | 'NEWEST_FIRST';

export function momentsSearch(search: Search): Moments {
  return { since: momentParameter(search['since']), until: momentParameter(search['until']) };
}

function momentParameter(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}(?:-\d\d){2}T\d\d(?::\d\d){2}\.\d{3}Z$/.test(value)) return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : value;
}

export function toTimeOrder(sort: string): TimeOrder | undefined {
  return sort === '-createdAt' ? 'NEWEST_FIRST' : sort === 'createdAt' ? 'OLDEST_FIRST' : undefined;
}

/** Days start at midnight in the user's time zone; the API's `to` is exclusive. */
function toRange({ from, to }: Days): Days {
  return {
    ...(from !== undefined && { from: startOfDay(from).toISOString() }),
    ...(to !== undefined && { to: startOfDay(to, 1).toISOString() }),
  };
}

/** Combines the days and the timestamps, for the API. */
export function toLimitedRange({ from, to, since, until }: Days & Moments): Days {
  const days = toRange({ from, to });
  const first = [days.from, since]
    .filter((each) => each !== undefined)
    .toSorted()
    .at(-1);
  const last = [days.to, until].filter((each) => each !== undefined).toSorted()[0];
  return { ...(first !== undefined && { from: first }), ...(last !== undefined && { to: last }) };
}

/**
 * The limits of a list that continues after a row. It starts with the rows of the same millisecond, so that none is skipped: the API's
 * times have no smaller unit.
 */
export function continueAfter(createdAt: string, order: TimeOrder): Moments {
  if (order === 'OLDEST_FIRST') return { since: createdAt, until: undefined };
  return { since: undefined, until: new Date(Date.parse(createdAt) + 1).toISOString() };
}
