import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import {
  formatDate,
  formatCount,
  formatMegabytes,
  formatMoment,
  formatMoney,
  formatTraffic,
  megabytePrice,
  prepaidPrice,
  formatClock,
  splitSeconds,
} from './format.ts';
import { formatBalance, formatMegabytePrice, formatPrice, formatTotal, maxDecimals } from './money.ts';

describe('formatMoney', () => {
  it.each([
    [0, '$0.00'],
    [5, '$5.00'],
    [0.2, '$0.20'],
    [0.0072, '$0.0072'],
    [0.000001, '$0.000001'],
    [1.100000001, '$1.10'],
    [24.601, '$24.601'],
    [1234567.5, '$1,234,567.50'],
    [-3.25, '-$3.25'],
  ])('shows %d as %s', (dollars, text) => {
    expect(formatMoney(dollars)).toBe(text);
  });
});

it('writes Russian decimals with a comma', async () => {
  await i18next.changeLanguage('ru');
  expect(formatMoney(1234.5)).toBe('$1\u00A0234,50');
  expect(formatMegabytes(10.5 * 1024)).toBe('10,5');
  expect(maxDecimals([24, -0.088])).toBe(3);
  await i18next.changeLanguage('en');
});

it.each([
  // Dollars, and as a balance, a total and a price: never more than the balance, never less than the price.
  [314.456, '$314.45', '$314.46', '$314.46'],
  [0.29, '$0.29', '$0.29', '$0.29'],
  [24.6119, '$24.61', '$24.61', '$24.62'],
  [1234.5, '$1,234.50', '$1,234.50', '$1,234.50'],
  [0.0996, '$0.099', '$0.10', '$0.10'],
  [0.05, '$0.050', '$0.050', '$0.050'],
  [0.0004, '$0.0004', '$0.0004', '$0.001'],
  [0.000001, '$0.000001', '$0.000001', '$0.001'],
  [-0.4, '-$0.40', '-$0.40', '-$0.40'],
  [-0.032, '-$0.032', '-$0.032', '-$0.032'],
  [0, '$0.00', '$0.00', '$0.00'],
])('shows %d in cents, below ten cents with three decimals, and never nothing for something', (dollars, ...texts) => {
  expect([formatBalance, formatTotal, formatPrice].map((format) => format(dollars))).toEqual(texts);
});

it.each([
  [0.004, '$0.004'],
  [0.0036, '$0.004'],
  [0.01, '$0.010'],
  [0.000001, '$0.001'],
])('shows the price %d of a megabyte with three decimals', (dollars, text) => {
  expect(formatMegabytePrice(dollars)).toBe(text);
});

describe('maxDecimals', () => {
  it('is the largest number of decimals in a column, at least two', () => {
    expect(maxDecimals([24, -0.088, 1234.5])).toBe(3);
    expect(maxDecimals([24.123_456], formatMoney)).toBe(6);
    expect(maxDecimals([])).toBe(2);
  });
});

describe('formatMoment', () => {
  it('is the date with seconds', () => {
    const moment = new Date(2026, 10, 21, 8, 5, 9).toISOString();
    expect(formatMoment(moment)).toBe('21.11.2026 08:05:09');
    expect(formatDate(moment)).toBe('21.11.2026 08:05');
  });
});

describe('prices', () => {
  it('are half for the first 50 MB', () => {
    expect(formatMoney(prepaidPrice(0.9999))).toBe('$0.49995');
  });

  it('are a hundredth for each further megabyte', () => {
    expect(formatMoney(megabytePrice(0.7))).toBe('$0.007');
  });
});

it('formatCount groups thousands', () => {
  expect([0, 999, 1284, 1_000_000].map(formatCount)).toEqual(['0', '999', '1,284', '1,000,000']);
});

describe('formatMegabytes', () => {
  it('has 1024 KiB per megabyte and one decimal', () => {
    expect(formatMegabytes(1024)).toBe('1.0');
    expect(formatMegabytes(1536)).toBe('1.5');
    expect(formatMegabytes(0)).toBe('0.0');
    expect(formatMegabytes(1_234_567.8 * 1024)).toBe('1,234,567.8');
  });
});

it('formatTraffic has gigabytes from 1,024 MB on', async () => {
  const megabytes = [0, 1000, 1023.94, 1023.96, 1240, 1_234_567];
  const texts = () => megabytes.map((each) => formatTraffic(each * 1024));
  expect(texts()).toEqual(['0.0 MB', '1,000.0 MB', '1,023.9 MB', '1.00 GB', '1.21 GB', '1,205.63 GB']);
  await i18next.changeLanguage('ru');
  expect(texts().slice(2, 5)).toEqual(['1\u00A0023,9 МБ', '1,00 ГБ', '1,21 ГБ']);
  await i18next.changeLanguage('en');
});

describe('formatDate', () => {
  it('has the day first and 24 hours', () => {
    const local = new Date(2026, 10, 5, 0, 7);
    expect(formatDate(local.toISOString())).toBe('05.11.2026 00:07');
    expect(formatDate(new Date(2026, 10, 21, 18, 30).toISOString())).toBe('21.11.2026 18:30');
  });
});

it('formats waits as a clock', () => {
  expect([0, 58, 725, 3909].map(formatClock)).toEqual(['0:00', '0:58', '12:05', '1:05:09']);
});

describe('splitSeconds', () => {
  it('returns whole minutes and the remaining seconds', () => {
    expect(splitSeconds(75)).toEqual({ minutes: 1, seconds: 15 });
    expect(splitSeconds(59)).toEqual({ minutes: 0, seconds: 59 });
  });
});
