import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultLimits } from '../limits.ts';
import { Credit } from './credit.ts';
import { Meter } from './meter.ts';

/** As long as a restart of the control plane and its database. */
const OUTAGE_MS = 60_000;
const MIB = 1_048_576;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A tunnel that has used up its grant and waits for the next. */
function waitingTunnel() {
  const start = { usedBytes: 0, uploadedBytes: 0, grantedBytes: MIB, state: 'open' as const };
  const credit = new Credit(start, 8 * MIB, { due: () => {}, spent: () => {}, ended: () => {} });
  const events: string[] = [];
  const meter = new Meter(
    { credit, limits: { speed: undefined } },
    { toExit: 0, toClient: 0 },
    {
      grantWaitMs: defaultLimits.grantWaitMs,
      slowed: () => {},
      grantWaitStarted: () => events.push('started'),
      grantWaitFinished: (seconds) => events.push(`finished after ${seconds} s`),
      grantWaitTimedOut: () => events.push('timed out'),
    },
  );
  meter.take('toClient', MIB);
  meter.whenGranted(() => events.push(`granted ${meter.take('toClient', MIB)}`));
  const grant = (bytes: number) => credit.merge({ grantedBytes: bytes, state: 'open' });
  return { meter, grant, events };
}

it('counts datagrams completely or not at all, and none after its end', () => {
  const { meter, grant } = waitingTunnel();
  expect(meter.takeWhole('toExit', 10)).toBe(false);
  grant(MIB + 5); // The waiting tunnel consumes these.
  grant(MIB + 20);
  expect([meter.takeWhole('toExit', 16), meter.takeWhole('toExit', 10)]).toEqual([false, true]);
  meter.stop();
  expect(meter.takeWhole('toExit', 1)).toBe(false);
  expect(meter.usedBytes.toExit).toBe(10);
});

describe('a tunnel without a grant', () => {
  it('stays open while the control plane is unavailable for a minute, and then continues', () => {
    const { grant, events } = waitingTunnel();
    vi.advanceTimersByTime(OUTAGE_MS);
    expect(events).toEqual(['started']);
    grant(MIB + 5);
    expect(events).toEqual(['started', 'finished after 60 s', 'granted 5']);
    vi.advanceTimersByTime(10 * OUTAGE_MS);
    expect(events).toHaveLength(3);
  });

  it('times out after a minute and a half', () => {
    const { events } = waitingTunnel();
    vi.advanceTimersByTime(89_999);
    expect(events).toEqual(['started']);
    vi.advanceTimersByTime(1);
    expect(events).toEqual(['started', 'timed out']);
  });

  it('neither counts nor waits after its end', () => {
    const { meter, grant, events } = waitingTunnel();
    meter.stop();
    grant(2 * MIB);
    vi.advanceTimersByTime(10 * OUTAGE_MS);
    expect(events).toEqual(['started', 'finished after 0 s']);
    expect(meter.take('toClient', 5)).toBe(0);
  });
});
