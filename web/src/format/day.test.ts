import { describe, expect, it } from 'vitest';
import { dayError, describeDay, isDay, parseDay, startOfDay, toDay, formatDay } from './day.ts';

describe('days', () => {
  it('are valid only if they exist', () => {
    expect(isDay('2028-02-29')).toBe(true);
    for (const text of ['2026-02-29', '2026-13-01', '21.11.2026', '', undefined]) expect(isDay(text)).toBe(false);
    expect(toDay(new Date(2026, 0, 5))).toBe('2026-01-05');
  });

  it('begin at midnight, as do later days', () => {
    expect(startOfDay('2026-02-28', 1)).toEqual(new Date(2026, 2, 1));
    expect(startOfDay('0050-01-01').getFullYear()).toBe(50);
  });

  it('are parsed day first', () => {
    expect(formatDay('2026-11-05')).toBe('05.11.2026');
    expect(parseDay('05.11.2026')).toBe('2026-11-05');
    expect(parseDay('5.1.2026')).toBe('2026-01-05');
    expect([formatDay(''), parseDay('')]).toEqual(['', '']);
  });

  it('are refused with a reason', () => {
    expect(dayError('21.11.2026')).toBeUndefined();
    expect(dayError('')).toBeUndefined();
    for (const text of ['21', '21.11.', '21.11.26', 'tomorrow']) expect(dayError(text)).toBe('format');
    for (const text of ['31.02.2026', '11.21.2026']) expect(dayError(text)).toBe('unknown');
  });
});

it.each(['21.11.2026', '21/11/2026', '21-11-2026', '21 11 2026', '21112026', '2026-11-21', ' 21.11.2026 '])(
  'the text "%s" is the 21st of November',
  (text) => {
    expect(parseDay(text)).toBe('2026-11-21');
  },
);

it.each(['21.11/2026', '20.26.11.2', '2026-11-2', '2026.11.21', '211126', 'abc', '٢١.١١.٢٠٢٦'])(
  'the text "%s" is no day',
  (text) => {
    expect(parseDay(text)).toBeUndefined();
  },
);

it('a day in words has the month as a word, in each language', () => {
  expect(describeDay('2026-12-11', 'en')).toBe('Fri, 11 Dec 2026');
  expect(describeDay('2026-12-11', 'ru')).toBe('пт, 11 дек. 2026 г.');
});
