import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startPausableTimer } from './pausable-timer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start() {
  const run = vi.fn<() => void>();
  return { run, timer: startPausableTimer(run, { runsAfterMs: 5000, pausesForMs: 30_000 }) };
}

it('runs once, when its time is over', () => {
  const { run } = start();
  vi.advanceTimersByTime(4999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(run).toHaveBeenCalledOnce();
});

it('goes on after a pause with the rest of its time', () => {
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

it('ends a pause that nobody ends', () => {
  const { run, timer } = start();
  vi.advanceTimersByTime(3000);
  timer.setPaused(true);
  vi.advanceTimersByTime(31_999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});

it('has one bound for all pauses together', () => {
  const { run, timer } = start();
  let passedMs = 0;
  while (run.mock.calls.length === 0 && passedMs < 100_000) {
    timer.setPaused((passedMs / 100) % 10 !== 0);
    vi.advanceTimersByTime(100);
    passedMs += 100;
  }
  expect(passedMs).toBeLessThanOrEqual(35_000);
  expect(passedMs).toBeGreaterThan(30_000);
});

it('does nothing once it is stopped, paused or not', () => {
  const { run, timer } = start();
  timer.stop();
  const paused = start();
  paused.timer.setPaused(true);
  paused.timer.stop();
  vi.advanceTimersByTime(100_000);
  expect(run).not.toHaveBeenCalled();
  expect(paused.run).not.toHaveBeenCalled();
});
