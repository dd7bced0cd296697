import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { throttle } from './throttle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('throttle', () => {
  it('runs immediately, and once more for all calls within the interval', async () => {
    const action = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const { call } = throttle(action, 1000);
    for (let time = 0; time < 5; time++) call();
    expect(action).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(action).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(action).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(5000);
    expect(action).toHaveBeenCalledTimes(2);
    call();
    expect(action).toHaveBeenCalledTimes(3);
  });

  it('runs once more after a slow run, for all calls during it', async () => {
    const runs: (() => void)[] = [];
    const { call } = throttle(() => new Promise((resolve) => runs.push(resolve)), 1000);
    for (let time = 0; time < 5; time++) {
      call();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(runs).toHaveLength(1);
    runs[0]!();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toHaveLength(2);
    runs[1]!();
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toHaveLength(2);
  });

  it('does nothing after it is stopped', async () => {
    const action = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const { call, stop } = throttle(action, 1000);
    call();
    call();
    stop();
    call();
    await vi.advanceTimersByTimeAsync(5000);
    expect(action).toHaveBeenCalledTimes(1);
  });
});
