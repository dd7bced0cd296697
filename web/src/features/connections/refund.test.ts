import { expect, it } from 'vitest';
import { expectedRefund, startedMegabytes } from './refund.ts';

const MINUTE = 60_000;
const connection = (trafficUsed: number) => ({ trafficUsed, price: 2 });

it('counts each started megabyte in full', () => {
  expect(startedMegabytes(connection(0))).toBe(0);
  expect(startedMegabytes(connection(10 * 1024))).toBe(10);
  expect(startedMegabytes(connection(10 * 1024 + 0.01))).toBe(11);
});

it('expects the unused part of the first 50 MB within the window', () => {
  expect(expectedRefund(connection(0), 0, 30)).toEqual({ kind: 'UNUSED', megabytes: 50, dollars: 1 });
  expect(expectedRefund(connection(10.5 * 1024), 29 * MINUTE, 30)).toMatchObject({ kind: 'UNUSED', megabytes: 39 });
});

it('expects nothing after the window, or when all is used', () => {
  expect(expectedRefund(connection(0), 30 * MINUTE, 30)).toEqual({ kind: 'TOO_LATE' });
  expect(expectedRefund(connection(49.1 * 1024), 0, 30)).toEqual({ kind: 'USED_UP' });
});
