import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fetchWithClock, readServerClock, toLocalTime } from './server-clock.ts';

const now = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ now });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function dateHeader(ms: number): string {
  return new Date(ms).toUTCString();
}

it('ignores a difference of a few seconds', () => {
  readServerClock(dateHeader(now - 5000));
  expect(toLocalTime(now)).toBe(now);
});

it('corrects larger differences, in both directions, until the clock is right', () => {
  readServerClock(dateHeader(now - HOUR_MS));
  expect(toLocalTime(now)).toBe(now + HOUR_MS);
  readServerClock(dateHeader(now + HOUR_MS));
  expect(toLocalTime(now)).toBe(now - HOUR_MS);
  readServerClock(dateHeader(now));
  expect(toLocalTime(now)).toBe(now);
});

it('keeps the difference when a response has no date', () => {
  readServerClock(dateHeader(now - HOUR_MS));
  readServerClock(null);
  expect(toLocalTime(0)).toBe(HOUR_MS);
});

it('reads the date of each response', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { headers: { date: dateHeader(now + HOUR_MS) } })));
  await fetchWithClock('/');
  expect(toLocalTime(0)).toBe(-HOUR_MS);
});
