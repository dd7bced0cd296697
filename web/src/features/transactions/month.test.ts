import { expect, test } from 'vitest';
import { transactionsSearch } from './screen.ts';
import { monthName, monthQuery, recentMonths } from './month.ts';

test('a month ends where the next one begins', () => {
  const [november, december, january] = ['2026-11', '2026-12', '2027-01'].map(monthQuery);
  expect(november!.to).toBe(december!.from);
  expect(december!.to).toBe(january!.from);
  expect(new Date(november!.from).getTime()).toBe(new Date(2026, 10, 1).getTime());
});

test('lists two years of months, also at the end of a long month', () => {
  const months = recentMonths(new Date(2026, 2, 31));
  expect(months.slice(0, 4)).toEqual(['2026-03', '2026-02', '2026-01', '2025-12']);
  expect(new Set(months).size).toBe(24);
});

test('has its name in both languages', () => {
  expect(monthName('2026-11', 'en')).toBe('November 2026');
  expect(monthName('2026-11', 'ru')).toContain('ноябрь 2026');
});

test('is in the URL, if it is one', () => {
  expect(transactionsSearch({ month: '2026-11' }).month).toBe('2026-11');
  for (const month of ['2026-13', '2026-1', '0000-00', 202611])
    expect(transactionsSearch({ month }).month).toBeUndefined();
});
