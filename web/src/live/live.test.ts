import { expect, it, vi } from 'vitest';

// There is only one tab.
vi.hoisted(() => vi.stubGlobal('addEventListener', () => undefined));
const { pollIntervalMs } = await import('./live.ts');

const OPENED = 1_700_000_000_000;

it.each([
  [{ isAnnounced: true, isBusy: true, requestedAt: OPENED }, 2000, 30_000],
  [{ isAnnounced: true, isBusy: false, requestedAt: OPENED }, 10_000, 30_000],
  // The stream did not announce changes before it opened.
  [{ isAnnounced: true, isBusy: true, requestedAt: OPENED - 1 }, 2000, 2000],
  [{ isAnnounced: true, isBusy: false, requestedAt: OPENED - 1 }, 10_000, 10_000],
  // An open stream does not announce them.
  [{ isAnnounced: false, isBusy: true, requestedAt: OPENED }, 2000, 2000],
  [{ isAnnounced: false, isBusy: false, requestedAt: OPENED }, 10_000, 10_000],
])('%j is polled every %i ms without a stream, and every %i ms with one', (polled, withoutStream, withStream) => {
  expect(pollIntervalMs(undefined, polled)).toBe(withoutStream);
  expect(pollIntervalMs(OPENED, polled)).toBe(withStream);
});
