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

/** A tunnel that always has more to send, a while after its last chunk has passed. @returns what has passed */
function greedy(speed: SpeedLimit, chunkBytes = 32 * KIB, pauseMs = 0) {
  const passed = { bytes: 0 };
  const send = (wantedBytes: number): void => {
    const takenBytes = speed.take(wantedBytes, passed);
    passed.bytes += takenBytes;
    if (takenBytes < wantedBytes) speed.whenRefilled(() => send(wantedBytes - takenBytes), passed);
    else if (pauseMs > 0) setTimeout(() => send(chunkBytes), pauseMs);
    else send(chunkBytes);
  };
  send(chunkBytes);
  return passed;
}

/** A peer that sends datagrams at an even rate, and gets an answer of the same size to each that passes. */
function datagrams(
  speed: SpeedLimit,
  { bytes, everyMs, answerMs }: { bytes: number; everyMs: number; answerMs?: number },
) {
  const passed = { bytes: 0, answers: 0 };
  const pass = () => {
    if (!speed.takeWhole(bytes, passed)) return false;
    passed.bytes += bytes;
    return true;
  };
  const answer = () => {
    if (pass()) passed.answers += 1;
  };
  const send = () => {
    if (pass() && answerMs !== undefined) setTimeout(answer, answerMs);
    timer = setTimeout(send, everyMs);
  };
  let timer: NodeJS.Timeout;
  send();
  return { passed, stop: () => clearTimeout(timer) };
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
    const flow = {};
    expect(speed.take(500, flow)).toBe(0);
    speed.whenRefilled(() => (isThrough = speed.take(500, flow) === 500), flow);
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
    speed.whenRefilled(() => (isReleased = true), {});
    speed.release();
    expect(isReleased).toBe(true);
  });

  it('does nothing any more when nobody waits', () => {
    const now = vi.fn<() => number>(() => performance.now());
    const speed = new SpeedLimit(RATE, now);
    const flow = {};
    speed.take(BURST, flow);
    const cancel = speed.whenRefilled(() => {}, flow);
    cancel();
    vi.advanceTimersByTime(1_000);
    now.mockClear();
    vi.advanceTimersByTime(1_000);
    expect(now).not.toHaveBeenCalled();
  });

  it('passes datagrams as a whole or not at all', () => {
    const speed = new SpeedLimit(RATE);
    const flow = {};
    expect(speed.takeWhole(BURST - 100, flow)).toBe(true);
    expect(speed.takeWhole(101, flow)).toBe(false);
    expect(speed.takeWhole(100, flow)).toBe(true);
    vi.advanceTimersByTime(100);
    expect(speed.takeWhole(40_001, flow)).toBe(false);
    expect(speed.takeWhole(40_000, flow)).toBe(true);
  });
});

const megabits = (bytes: number, seconds: number) => (bytes * 8) / 1e6 / seconds;
const limited = (megabitsPerSecond: number) => new SpeedLimit((megabitsPerSecond * 1e6) / 8);

describe('what shares a speed limit', () => {
  it('is a half each for a download and a peer that sends datagrams at 1.5 times the limit', () => {
    const speed = limited(8);
    const download = greedy(speed);
    const { passed } = datagrams(speed, { bytes: 1_500, everyMs: 1 });
    vi.advanceTimersByTime(20_000);
    expect(megabits(download.bytes, 20)).toBeGreaterThan(3.8);
    expect(megabits(passed.bytes, 20)).toBeGreaterThan(3.8);
  });

  it.each([
    [1, 4_000, 200],
    [0.1, 1_200, 500],
  ])('at %d Mbit/s lets datagrams of %d bytes, and their answers, pass during a download', (rate, bytes, everyMs) => {
    const speed = limited(rate);
    const download = greedy(speed);
    vi.advanceTimersByTime(5_000);
    const before = download.bytes;
    const peer = datagrams(speed, { bytes, everyMs, answerMs: 20 });
    vi.advanceTimersByTime(59 * everyMs);
    peer.stop();
    vi.advanceTimersByTime(20);
    expect(peer.passed.answers).toBe(60);
    expect(megabits(download.bytes - before, (59 * everyMs) / 1000)).toBeGreaterThan(0.3 * rate);
  });

  it('is as much for each of eight tunnels, in chunks of any size', () => {
    const speed = limited(100);
    const tunnels = [greedy(speed, 64 * KIB, 1), ...Array.from({ length: 7 }, () => greedy(speed, 24_000, 10))];
    vi.advanceTimersByTime(500);
    const before = tunnels.map(({ bytes }) => bytes);
    vi.advanceTimersByTime(10_000);
    const rates = tunnels.map(({ bytes }, index) => megabits(bytes - before[index]!, 10));
    expect(Math.min(...rates)).toBeGreaterThan(12);
    expect(Math.max(...rates)).toBeLessThan(13);
  });

  it('comes first to a tunnel that begins: at 1 Mbit/s during 64 downloads, a byte passes within 50 ms', () => {
    const speed = limited(1);
    for (let count = 0; count < 64; count += 1) greedy(speed);
    vi.advanceTimersByTime(3_000);
    const flow = {};
    let isThrough = false;
    const send = () => {
      if (speed.take(1, flow) === 1) isThrough = true;
      else speed.whenRefilled(send, flow);
    };
    send();
    vi.advanceTimersByTime(50);
    expect(isThrough).toBe(true);
  });

  it('is not taken from small questions by a flood of datagrams', () => {
    const speed = limited(0.1);
    datagrams(speed, { bytes: 1_200, everyMs: 5 });
    vi.advanceTimersByTime(2_000);
    const questions = datagrams(speed, { bytes: 100, everyMs: 1_000, answerMs: 20 });
    vi.advanceTimersByTime(20_000);
    expect(questions.passed.answers).toBeGreaterThanOrEqual(20);
  });

  it('is never more than the limit, and what a flow that ends has passed ahead is still paid for', () => {
    const speed = limited(1);
    const download = greedy(speed);
    let datagramBytes = 0;
    for (let count = 0; count < 200; count += 1) {
      const flow = {};
      if (speed.takeWhole(1_200, flow)) datagramBytes += 1_200;
      speed.leave(flow);
      vi.advanceTimersByTime(100);
    }
    expect(download.bytes + datagramBytes).toBeLessThanOrEqual(64 * KIB + 20 * 125_000);
  });
});

function openTunnel(grantedBytes: number) {
  const limits: { speed: SpeedLimit | undefined } = { speed: new SpeedLimit(RATE) };
  const start = { usedBytes: 0, uploadedBytes: 0, grantedBytes, state: 'open' as const };
  const credit = new Credit(start, Number.MAX_SAFE_INTEGER, { due: () => {}, spent: () => {}, ended: () => {} });
  const events: string[] = [];
  const wait = {
    grantWaitMs: defaultLimits.grantWaitMs,
    slowed: () => {},
    grantWaitStarted: () => events.push('waits for a grant'),
    grantWaitFinished: () => {},
    grantWaitTimedOut: () => events.push('timed out'),
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
