import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startPausableTimer } from './pausable-timer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start() {
  const run = vi.fn<() => void>();
  return { run, timer: startPausableTimer(run, { runsAfterMs: 5000, maxPauseMs: 30_000 }) };
}

it('runs once, when the time is up', () => {
  const { run } = start();
  vi.advanceTimersByTime(4999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(run).toHaveBeenCalledOnce();
});

it('continues with the remaining time after a pause', () => {
  const { run, timer } = start();
  vi.advanceTimersByTime(3000);
  timer.setPaused(true);
  vi.advanceTimersByTime(20_000);
  timer.setPaused(false);
  vi.advanceTimersByTime(1999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});

it('ends a pause at its limit', () => {
  const { run, timer } = start();
  vi.advanceTimersByTime(3000);
  timer.setPaused(true);
  vi.advanceTimersByTime(31_999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});

it('limits the total of all pauses', () => {
  const { run, timer } = start();
  let elapsedMs = 0;
  while (run.mock.calls.length === 0 && elapsedMs < 100_000) {
    timer.setPaused((elapsedMs / 100) % 10 !== 0);
    vi.advanceTimersByTime(100);
    elapsedMs += 100;
  }
  expect(elapsedMs).toBeLessThanOrEqual(35_000);
  expect(elapsedMs).toBeGreaterThan(30_000);
});

it('does nothing after it is stopped, paused or not', () => {
  const { run, timer } = start();
  timer.stop();
  const paused = start();
  paused.timer.setPaused(true);
  paused.timer.stop();
  vi.advanceTimersByTime(100_000);
  expect(run).not.toHaveBeenCalled();
  expect(paused.run).not.toHaveBeenCalled();
});
