import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { staggered } from './staggered.ts';

/** Attempts that a test settles by their index. */
function openAttempts(settings: Partial<Parameters<typeof staggered<string>>[0]> = {}) {
  const started: number[] = [];
  const settle: { fulfil: (result: string) => void; reject: (error: Error) => void }[] = [];
  const discard = vi.fn<(result: string) => void>();
  const settled = vi.fn<() => void>();
  const outcome = staggered<string>({
    count: 3,
    delayMs: 250,
    attempt: (index) =>
      new Promise((fulfil, reject) => {
        started.push(index);
        settle.push({ fulfil, reject });
      }),
    discard,
    settled,
    ...settings,
  }).catch((error: Error) => error.message);
  const fail = async (index: number) => {
    settle[index]!.reject(new Error(`failure ${index}`));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { started, settle, discard, settled, outcome, fail };
}

describe('staggered attempts', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are only one if it succeeds within the delay', async () => {
    const { started, settle, outcome, settled } = openAttempts();
    await vi.advanceTimersByTimeAsync(249);
    settle[0]!.fulfil('first');
    expect(await outcome).toBe('first');
    await vi.advanceTimersByTimeAsync(10_000);
    expect([started, settled.mock.calls.length]).toEqual([[0], 1]);
  });

  it('start after the delay, while the earlier ones run, and the first success wins', async () => {
    const { started, settle, outcome, discard } = openAttempts();
    await vi.advanceTimersByTimeAsync(500);
    expect(started).toEqual([0, 1, 2]);
    settle[1]!.fulfil('second');
    expect(await outcome).toBe('second');
    settle[0]!.fulfil('late');
    await vi.advanceTimersByTimeAsync(0);
    expect(discard.mock.calls).toEqual([['late']]);
  });

  it('start at once when the latest has failed, but not when an earlier one has', async () => {
    const { started, fail } = openAttempts();
    await fail(0);
    expect(started).toEqual([0, 1]);
    const other = openAttempts();
    await vi.advanceTimersByTimeAsync(250);
    await other.fail(0);
    expect(other.started).toEqual([0, 1]);
    await vi.advanceTimersByTimeAsync(250);
    expect(other.started).toEqual([0, 1, 2]);
  });

  it('fail with the error of the first when all have failed', async () => {
    const { outcome, started, fail, settled } = openAttempts();
    await vi.advanceTimersByTimeAsync(500);
    await fail(2);
    await fail(0);
    expect(settled).not.toHaveBeenCalled();
    await fail(1);
    expect(await outcome).toBe('failure 0');
    await vi.advanceTimersByTimeAsync(10_000);
    expect([started, settled.mock.calls.length]).toEqual([[0, 1, 2], 1]);
  });

  it('end with a fatal failure', async () => {
    const { outcome, started, fail } = openAttempts({ isFatal: () => true });
    await vi.advanceTimersByTimeAsync(250);
    await fail(1);
    expect(await outcome).toBe('failure 1');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started).toEqual([0, 1]);
  });

  it('are sequential where they may not overlap', async () => {
    const { started, outcome, settle, fail } = openAttempts({ mayOverlap: () => false });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(started).toEqual([0]);
    await fail(0);
    expect(started).toEqual([0, 1]);
    settle[1]!.fulfil('second');
    expect(await outcome).toBe('second');
  });
});
