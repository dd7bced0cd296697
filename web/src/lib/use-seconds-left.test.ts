import { expect, it } from 'vitest';
import { secondsUntil } from './use-seconds-left.ts';

it('counts a part of a second as a whole one, and ends at the very moment', () => {
  expect(secondsUntil(60_000, 0)).toBe(60);
  expect(secondsUntil(60_000, 1)).toBe(60);
  expect(secondsUntil(60_000, 59_001)).toBe(1);
  expect(secondsUntil(60_000, 60_000)).toBe(0);
});

it('stays at nothing afterwards', () => {
  expect(secondsUntil(60_000, 99_999)).toBe(0);
});
