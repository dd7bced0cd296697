import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultLimits } from '../limits.ts';
import { Credit } from './credit.ts';
import { Meter } from './meter.ts';
import { SpeedLimit } from './speed-limit.ts';

const KIB = 1024;
const RATE = 400_000;
/** A quarter of a second. */
const BURST = 100_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A tunnel that always has more to send. @returns what has passed */
function greedy(speed: SpeedLimit, chunkBytes = 32 * KIB) {
  const passed = { bytes: 0 };
  const send = (wantedBytes: number): void => {
    const takenBytes = speed.take(wantedBytes);
    passed.bytes += takenBytes;
    if (takenBytes < wantedBytes) speed.whenRefilled(() => send(wantedBytes - takenBytes));
    else send(chunkBytes);
  };
  send(chunkBytes);
  return passed;
}

describe('a speed limit', () => {
  it('lets a burst pass, and then exactly its rate', () => {
    const passed = greedy(new SpeedLimit(RATE));
    expect(passed.bytes).toBe(BURST);
    vi.advanceTimersByTime(10_000);
    expect(passed.bytes).toBeGreaterThan(BURST + 9.95 * RATE);
    expect(passed.bytes).toBeLessThanOrEqual(BURST + 10 * RATE);
  });

  it('divides its rate among the tunnels of a connection, however many there are', () => {
    const speed = new SpeedLimit(RATE);
    const tunnels = Array.from({ length: 50 }, () => greedy(speed));
    vi.advanceTimersByTime(20_000);
    const bytes = tunnels.map((tunnel) => tunnel.bytes);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(BURST + 20 * RATE);
    // The first ones have taken the burst.
    expect(Math.min(...bytes)).toBeGreaterThan((20 * RATE) / 50 - BURST / 4);
  });

  it('lets a small message pass soon beside large downloads', () => {
    const speed = new SpeedLimit(RATE);
    for (let count = 0; count < 20; count += 1) greedy(speed);
    let isThrough = false;
    expect(speed.take(500)).toBe(0);
    speed.whenRefilled(() => (isThrough = speed.take(500) === 500));
    vi.advanceTimersByTime(200);
    expect(isThrough).toBe(true);
  });

  it('is changed while tunnels wait, and ends their wait when it is removed', () => {
    const speed = new SpeedLimit(RATE);
    const passed = greedy(speed);
    speed.change(RATE / 4);
    vi.advanceTimersByTime(4_000);
    expect(passed.bytes).toBeLessThanOrEqual(BURST + RATE);
    let isReleased = false;
    speed.whenRefilled(() => (isReleased = true));
    speed.release();
    expect(isReleased).toBe(true);
  });

  it('does nothing any more when nobody waits', () => {
    const now = vi.fn<() => number>(() => performance.now());
    const speed = new SpeedLimit(RATE, now);
    speed.take(BURST);
    const cancel = speed.whenRefilled(() => {});
    cancel();
    vi.advanceTimersByTime(1_000);
    now.mockClear();
    vi.advanceTimersByTime(1_000);
    expect(now).not.toHaveBeenCalled();
  });

  it('passes datagrams as a whole or not at all', () => {
    const speed = new SpeedLimit(RATE);
    expect(speed.takeWhole(BURST - 100)).toBe(true);
    expect(speed.takeWhole(101)).toBe(false);
    expect(speed.takeWhole(100)).toBe(true);
    vi.advanceTimersByTime(100);
    expect(speed.takeWhole(40_001)).toBe(false);
    expect(speed.takeWhole(40_000)).toBe(true);
  });
});

function openTunnel(grantedBytes: number) {
  const limits: { speed: SpeedLimit | undefined } = { speed: new SpeedLimit(RATE) };
  const start = { usedBytes: 0, uploadedBytes: 0, grantedBytes, state: 'open' as const };
  const credit = new Credit(start, Number.MAX_SAFE_INTEGER, { due: () => {}, spent: () => {}, ended: () => {} });
  const events: string[] = [];
  const wait = {
    timeoutMs: defaultLimits.grantWaitMs,
    slowed: () => {},
    started: () => events.push('waits for a grant'),
    finished: () => {},
    timedOut: () => events.push('timed out'),
  };
  return { meter: new Meter({ credit, limits }, { toExit: 0, toClient: 0 }, wait), credit, limits, events };
}

describe('a tunnel with a speed limit', () => {
  it('waits for the limit without counting as a wait for a grant, which would time out', () => {
    const { meter, events } = openTunnel(10 * BURST);
    expect(meter.take('toClient', 2 * BURST)).toBe(BURST);
    meter.whenGranted(() => events.push(`passes ${meter.take('toClient', 1_000)}`));
    vi.advanceTimersByTime(25);
    expect(events).toEqual(['passes 1000']);
    expect(meter.usedBytes.toClient).toBe(BURST + 1_000);
  });

  it('waits for a grant if that is what it lacks, and gets back what the limit had let pass', () => {
    const { meter, credit, events } = openTunnel(40_000);
    expect(meter.take('toClient', 50_000)).toBe(40_000);
    meter.whenGranted(() => events.push('granted'));
    expect(events).toEqual(['waits for a grant']);
    credit.merge({ grantedBytes: BURST, state: 'open' });
    expect(events).toEqual(['waits for a grant', 'granted']);
    expect(meter.take('toClient', BURST)).toBe(BURST - 40_000);
  });

  it('reads no wide chunks, and stops waiting when it ends', () => {
    const { meter, events } = openTunnel(10 * BURST);
    expect(meter.lease('toClient', 1_000, () => {})).toBeUndefined();
    meter.take('toClient', 2 * BURST);
    meter.whenGranted(() => events.push('passes'));
    meter.stop();
    vi.advanceTimersByTime(2 * defaultLimits.grantWaitMs);
    expect(events).toEqual([]);
  });

  it('is not held by a limit that was removed', () => {
    const { meter, limits, events } = openTunnel(BURST + 10);
    meter.take('toClient', 2 * BURST);
    limits.speed = undefined;
    expect(meter.take('toClient', 20)).toBe(10);
    meter.whenGranted(() => events.push('granted'));
    expect(events).toEqual(['waits for a grant']);
  });
});
