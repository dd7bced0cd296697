import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { throttle } from './throttle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('throttle', () => {
  it('runs immediately, and once more for all calls within the interval', () => {
    const action = vi.fn<() => void>();
    const { call } = throttle(action, 1000);
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

  it('does nothing after it is stopped', () => {
    const action = vi.fn<() => void>();
    const { call, stop } = throttle(action, 1000);
    call();
    call();
    stop();
    vi.advanceTimersByTime(5000);
    expect(action).toHaveBeenCalledTimes(1);
  });
});
