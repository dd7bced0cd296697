import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeEcho, withoutEcho } from './echoes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ignores one event of a change by this tab, before or after its response', async () => {
  await withoutEcho('tickets', async () => expect(takeEcho('tickets')).toBe(true));
  expect(takeEcho('tickets')).toBe(false);
  await withoutEcho('tickets', async () => undefined);
  expect(takeEcho('balance')).toBe(false);
  expect(takeEcho('tickets')).toBe(true);
  expect(takeEcho('tickets')).toBe(false);
});

it('does not ignore an event that comes long after the response', async () => {
  await expect(withoutEcho('tickets', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  vi.advanceTimersByTime(2001);
  expect(takeEcho('tickets')).toBe(false);
});
