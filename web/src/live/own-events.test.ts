import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeOwnEvent, withoutOwnEvent } from './own-events.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ignores one event of a change by this tab, before or after its response', async () => {
  await withoutOwnEvent('tickets', async () => expect(takeOwnEvent('tickets')).toBe(true));
  expect(takeOwnEvent('tickets')).toBe(false);
  await withoutOwnEvent('tickets', async () => undefined);
  expect(takeOwnEvent('balance')).toBe(false);
  expect(takeOwnEvent('tickets')).toBe(true);
  expect(takeOwnEvent('tickets')).toBe(false);
});

it('does not ignore an event that comes long after the response', async () => {
  await expect(withoutOwnEvent('tickets', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  vi.advanceTimersByTime(2001);
  expect(takeOwnEvent('tickets')).toBe(false);
});
