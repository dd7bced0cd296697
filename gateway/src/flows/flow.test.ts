import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { defaultLimits } from '../limits.ts';
import { LinkedList } from '../linked-list.ts';
import { Credit } from '../metering/credit.ts';
import { createMetrics } from '../metrics.ts';
import { Flow, type FlowConnection } from './flow.ts';

const { tunnelIdleMs, halfClosedIdleMs, grantWaitMs } = defaultLimits;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function openFlow({ grantedBytes = 1_000 } = {}) {
  const start = { usedBytes: 0, uploadedBytes: 0, grantedBytes, state: 'open' as const };
  const credit = new Credit(start, 1_000_000, { due: () => {}, spent: () => {}, ended: () => {} });
  const reasons: string[] = [];
  const credential = { kind: 'address', address: '127.0.0.1' } as const;
  const connection: FlowConnection = {
    id: 'connection',
    credit,
    limits: { speed: undefined },
    flows: new LinkedList(),
    associations: 0,
    lastTunnelAt: 0,
  };
  const settings = { limits: defaultLimits, metrics: createMetrics() };
  const flow = new Flow(
    'socks5',
    { connection, credential },
    { close: (reason) => void reasons.push(reason) },
    settings,
    { closed: () => {} },
  );
  return { flow, credit, reasons };
}

it('ends when nothing has passed for the idle timeout', () => {
  const { flow, reasons } = openFlow();
  vi.advanceTimersByTime(tunnelIdleMs - 1);
  flow.meter.take('toExit', 1);
  vi.advanceTimersByTime(tunnelIdleMs - 1);
  expect(reasons).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(reasons).toEqual(['idle']);
  expect(flow.endReason).toBe('idle');
});

it('applies a shorter idle timeout', () => {
  const { flow, reasons } = openFlow();
  vi.advanceTimersByTime(tunnelIdleMs - 10);
  flow.meter.take('toExit', 1);
  flow.setIdleTimeout(halfClosedIdleMs);
  vi.advanceTimersByTime(halfClosedIdleMs - 1);
  expect(reasons).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(reasons).toEqual(['idle']);
});

it('ends when the wait for a grant times out', () => {
  const { flow, reasons } = openFlow({ grantedBytes: 0 });
  flow.meter.whenGranted(() => {});
  vi.advanceTimersByTime(grantWaitMs);
  expect(reasons).toEqual(['grant-timeout']);
});

it('ends once, with the first reason, and then counts nothing and times nothing', () => {
  const { flow, credit, reasons } = openFlow();
  flow.meter.take('toClient', 300);
  flow.close('client-failed');
  flow.close('shutdown');
  flow.setIdleTimeout(1);
  expect(reasons).toEqual(['client-failed']);
  expect(flow.meter.take('toClient', 300)).toBe(0);
  expect(credit.usedBytes).toBe(300);
  vi.advanceTimersByTime(2 * tunnelIdleMs);
  expect(reasons).toEqual(['client-failed']);
});
