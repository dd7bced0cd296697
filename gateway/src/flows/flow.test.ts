import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { defaultLimits } from '../limits.ts';
import { Credit } from '../metering/credit.ts';
import { createMetrics } from '../metrics.ts';
import { Flow } from './flow.ts';

const { tunnelIdleMs, halfClosedIdleMs, grantWaitMs } = defaultLimits;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function openFlow({ grantedBytes = 1_000 } = {}) {
  const start = { usedBytes: 0, uploadedBytes: 0, grantedBytes, state: 'open' as const };
  const credit = new Credit(start, 1_000_000, { due: () => {}, spent: () => {}, ended: () => {} });
  const reasons: string[] = [];
  const settings = { limits: defaultLimits, metrics: createMetrics() };
  const flow = new Flow('socks5', credit, settings, (reason) => void reasons.push(reason));
  return { flow, credit, reasons };
}

it('ends when nothing has passed for its idle time', () => {
  const { flow, reasons } = openFlow();
  vi.advanceTimersByTime(tunnelIdleMs - 1);
  flow.meter.take('toExit', 1);
  vi.advanceTimersByTime(tunnelIdleMs - 1);
  expect(reasons).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(reasons).toEqual(['idle']);
  expect(flow.endReason).toBe('idle');
});

it('may be idle for less from a moment on', () => {
  const { flow, reasons } = openFlow();
  vi.advanceTimersByTime(tunnelIdleMs - 10);
  flow.meter.take('toExit', 1);
  flow.limitIdle(halfClosedIdleMs);
  vi.advanceTimersByTime(halfClosedIdleMs - 1);
  expect(reasons).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(reasons).toEqual(['idle']);
});

it('ends when no grant comes in time', () => {
  const { flow, reasons } = openFlow({ grantedBytes: 0 });
  flow.meter.whenGranted(() => {});
  vi.advanceTimersByTime(grantWaitMs);
  expect(reasons).toEqual(['grant-late']);
});

it('ends once, with the first reason, and then counts nothing and has no timer', () => {
  const { flow, credit, reasons } = openFlow();
  flow.meter.take('toClient', 300);
  flow.close('client-failed');
  flow.close('shutdown');
  flow.limitIdle(1);
  expect(reasons).toEqual(['client-failed']);
  expect(flow.meter.take('toClient', 300)).toBe(0);
  expect(credit.usedBytes).toBe(300);
  expect(vi.getTimerCount()).toBe(0);
});
