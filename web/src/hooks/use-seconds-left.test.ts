import { expect, it } from 'vitest';
import { secondsUntil } from './use-seconds-left.ts';

it('rounds up, and is 0 when the time has come', () => {
  expect(secondsUntil(60_000, 0)).toBe(60);
  expect(secondsUntil(60_000, 1)).toBe(60);
  expect(secondsUntil(60_000, 59_001)).toBe(1);
  expect(secondsUntil(60_000, 60_000)).toBe(0);
});

it('stays at 0 afterwards', () => {
  expect(secondsUntil(60_000, 99_999)).toBe(0);
});
