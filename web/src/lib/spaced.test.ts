import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { spaced } from './spaced.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('spaced', () => {
  it('acts at once, and once more for all calls of the time that follows', () => {
    const action = vi.fn<() => void>();
    const { call } = spaced(action, 1000);
    for (let time = 0; time < 5; time++) call();
    expect(action).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(999);
    expect(action).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(action).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(5000);
    expect(action).toHaveBeenCalledTimes(2);
    call();
    expect(action).toHaveBeenCalledTimes(3);
  });

  it('does nothing after its end', () => {
    const action = vi.fn<() => void>();
    const { call, stop } = spaced(action, 1000);
    call();
    call();
    stop();
    vi.advanceTimersByTime(5000);
    expect(action).toHaveBeenCalledTimes(1);
  });
});
