import { expect, it, vi } from 'vitest';

// There is only one tab.
vi.hoisted(() => vi.stubGlobal('addEventListener', () => undefined));
const { pollIntervalMs } = await import('./live.ts');

it.each([
  [{ isAnnounced: true, isBusy: true }, 2000, 30_000],
  [{ isAnnounced: true, isBusy: false }, 10_000, 30_000],
  // An open stream does not announce them.
  [{ isAnnounced: false, isBusy: true }, 2000, 2000],
  [{ isAnnounced: false, isBusy: false }, 10_000, 10_000],
])('%j is polled every %i ms without a stream, and every %i ms with one', (polled, withoutStream, withStream) => {
  expect(pollIntervalMs(false, polled)).toBe(withoutStream);
  expect(pollIntervalMs(true, polled)).toBe(withStream);
});
