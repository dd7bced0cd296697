import { describe, expect, it } from 'vitest';
import { fromRange, rangeError, toQuery, toRange } from './range.ts';

const now = new Date(2026, 10, 21, 13, 37);
const local = (year: number, month: number, day: number, hour = 0) => new Date(year, month, day, hour).toISOString();

it('is the last 7 days without parameters of the URL, and changes all of them', () => {
  expect(toRange({})).toEqual({ preset: 'week' });
  expect(fromRange({ preset: 'week' })).toStrictEqual({ range: undefined, from: undefined, to: undefined });
  for (const range of [{ preset: 'day' }, { from: '2026-11-01', to: '2026-11-21' }] as const)
    expect(toRange(fromRange(range))).toEqual(range);
});

describe('toQuery', () => {
  it('shows 24 hours up to the current one', () => {
    expect(toQuery({ preset: 'day' }, now, 'UTC')).toEqual({
      from: local(2026, 10, 20, 14),
      to: local(2026, 10, 21, 14),
      step: 'hour',
      timeZone: 'UTC',
    });
  });

  it('shows full days up to today', () => {
    expect(toQuery({ preset: 'week' }, now, 'UTC')).toMatchObject({
      from: local(2026, 10, 15),
      to: local(2026, 10, 22),
      step: 'day',
    });
    expect(toQuery({ preset: 'month' }, now, 'UTC').from).toBe(local(2026, 9, 23));
  });

  it('includes both days of a custom range, and shows hours for short ones', () => {
    const query = toQuery({ from: '2026-11-01', to: '2026-11-02' }, now, 'UTC');
    expect(query).toMatchObject({ from: local(2026, 10, 1), to: local(2026, 10, 3), step: 'hour' });
    expect(toQuery({ from: '2026-11-01', to: '2026-11-03' }, now, 'UTC').step).toBe('day');
  });

  it('stays the same for an hour, so that it can be a query key', () => {
    const later = new Date(2026, 10, 21, 13, 59);
    for (const preset of ['day', 'week', 'month'] as const)
      expect(toQuery({ preset }, later, 'UTC')).toEqual(toQuery({ preset }, now, 'UTC'));
  });
});

describe('an own range', () => {
  it('must be complete, in order and short enough', () => {
    expect(rangeError('2026-11-01', '2026-11-01', 366)).toBeUndefined();
    expect(rangeError('', '2026-11-01', 366)).toBe('incomplete');
    expect(rangeError('2026-11-02', '2026-11-01', 366)).toBe('reversed');
    expect(rangeError('2025-11-02', '2026-11-02', 366)).toBeUndefined();
    expect(rangeError('2025-11-01', '2026-11-02', 366)).toBe('tooLong');
  });
});
