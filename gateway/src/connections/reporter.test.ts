import type { Credit as CreditAnswer, Usage } from '@cellhop/contract/gateway';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ControlClient } from '../control/control-client.ts';
import type { Exit } from '../exits/exit.ts';
import type { Flow } from '../flows/flow.ts';
import { defaultLimits } from '../limits.ts';
import { Connections } from './connections.ts';
import { Reporter } from './reporter.ts';

const MB = 1_048_576;
const ID = '00000000-0000-4000-8000-000000000001';
const STEP_MS = 1;
const RAMP_MS = 100;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

interface Course {
  /** Milliseconds of the run in which the client did not get all that it could take. */
  readonly starvedMs: number;
  /** The same without the first tenth of a second, in which the gateway finds out how fast the client is. */
  readonly laterStarvedMs: number;
  readonly updates: number;
  /** Of all updates together. */
  readonly usages: number;
  /** Most megabytes that were granted and had not begun: what the payer's money is held for. */
  readonly heldMegabytes: number;
  /** Most bytes that were used and that the control plane did not have: what a killed gateway gives away. */
  readonly unreportedBytes: number;
}

/** A client of a steady rate on simulated time; the control plane grants whole megabytes, as the real one does. */
async function run(
  bytesPerSecond: number,
  {
    roundTripMs = 5,
    seconds = 10,
    idleConnections = 0,
    areEndsTold = false,
    awayAfterMs = Number.POSITIVE_INFINITY,
  } = {},
): Promise<Course> {
  let [granted, used, reported] = [50 * MB, 0, 0];
  const course = { starvedMs: 0, laterStarvedMs: 0, updates: 0, usages: 0, heldMegabytes: 0, unreportedBytes: 0 };
  const startedAt = performance.now();
  const update = async (usages: readonly Usage[]): Promise<CreditAnswer[]> => {
    course.updates += 1;
    course.usages += usages.length;
    await pause(roundTripMs / 2);
    if (performance.now() - startedAt > awayAfterMs) throw new Error('the control plane is away');
    const answers = usages.map(({ connectionId, usedBytes, wantedBytes }) => {
      if (connectionId !== ID) return { connectionId, grantedBytes: 50 * MB, state: 'open' as const };
      reported = Math.max(reported, usedBytes);
      granted = Math.max(granted, Math.ceil((usedBytes + wantedBytes) / MB) * MB);
      return { connectionId, grantedBytes: granted, state: 'open' as const };
    });
    await pause(roundTripMs / 2);
    return answers;
  };
  let next = 0;
  const authorize = () => {
    const connectionId = next === 0 ? ID : `00000000-0000-4000-9000-${String(next).padStart(12, '0')}`;
    next += 1;
    const exit = { kind: 'local-address', address: null } as const;
    return Promise.resolve({
      isAuthorized: true,
      connectionId,
      exit,
      usedBytes: 0,
      uploadedBytes: 0,
      grantedBytes: 50 * MB,
      state: 'open',
    } as const);
  };
  const control = Object.assign(Object.create(ControlClient.prototype) as ControlClient, {
    update,
    authorize,
    authorizeAddress: authorize,
    end: () => Promise.resolve([]),
  });
  const connections: Connections = new Connections({
    control,
    limits: defaultLimits,
    log: pino({ level: 'silent' }),
    exits: { get: () => ({ isLost: false }) as Exit },
    reportSoon: (connection) => reporter.soon(connection),
    ended: () => {},
  });
  const reporter = new Reporter(connections, control, defaultLimits, pino({ level: 'silent' }), () => areEndsTold);
  const { connection } = await connections.authorize({ username: 'one', password: 'secret' });
  for (let index = 0; index < idleConnections; index += 1)
    await connections.authorize({ username: `other-${index}`, password: 'secret' });
  connection.flows.add({ close: () => {} } as unknown as Flow);
  reporter.start();
  let dueBytes = 0;
  for (let ms = 0; ms < seconds * 1000; ms += STEP_MS) {
    dueBytes += (bytesPerSecond * STEP_MS) / 1000;
    const wanted = Math.floor(dueBytes);
    const taken = connection.credit.take('toClient', wanted);
    dueBytes -= taken;
    used += taken;
    if (taken < wanted) course.starvedMs += STEP_MS;
    if (taken < wanted && ms >= RAMP_MS) course.laterStarvedMs += STEP_MS;
    course.heldMegabytes = Math.max(course.heldMegabytes, granted / MB - Math.max(50, Math.ceil(used / MB)));
    course.unreportedBytes = Math.max(course.unreportedBytes, used - reported);
    await vi.advanceTimersByTimeAsync(STEP_MS);
  }
  reporter.stop();
  return course;
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

describe('grants', () => {
  it.each([
    ['128 kbit/s', 16_000],
    ['10 Mbit/s', 1_250_000],
    ['50 Mbit/s', 6_250_000],
  ])('of a client of %s tie up one megabyte and never make it wait', async (_name, bytesPerSecond) => {
    const course = await run(bytesPerSecond, { seconds: 60 });
    expect(course.heldMegabytes).toBeLessThanOrEqual(1);
    expect(course.starvedMs).toBe(0);
  });

  it.each([
    ['1 Gbit/s', 125e6, 5],
    ['1 Gbit/s far away', 125e6, 60],
    ['1 Gbit/s with a slow control plane', 125e6, 20],
    ['1 GB/s', 1e9, 5],
    ['2 GB/s', 2e9, 5],
  ])('never make a client of %s wait once its speed is known', async (_name, bytesPerSecond, roundTripMs) => {
    const seconds = 5;
    const { starvedMs, laterStarvedMs } = await run(bytesPerSecond, { roundTripMs, seconds });
    expect(laterStarvedMs).toBe(0);
    expect(starvedMs).toBeLessThan(0.02 * seconds * 1000);
  });

  it('hold a tenth of a second of 1 Gbit/s at most', async () => {
    const { heldMegabytes } = await run(125e6);
    expect(heldMegabytes).toBeLessThan(13);
  });
});

describe('reports', () => {
  it.each([
    ['1 Mbit/s', 125_000, 5, 2.5, 0.1],
    ['100 Mbit/s', 12.5e6, 5, 11, 2.5],
    ['1 Gbit/s', 125e6, 5, 70, 5],
    ['1 Gbit/s far away', 125e6, 60, 20, 24],
    ['2 GB/s', 2e9, 5, 210, 64],
  ])(
    'leave little of %s unacknowledged, and are few',
    async (_name, bytesPerSecond, roundTripMs, updatesPerSecond, megabytes) => {
      const { updates, unreportedBytes } = await run(bytesPerSecond, { roundTripMs });
      expect(updates / 10).toBeLessThanOrEqual(updatesPerSecond);
      expect(unreportedBytes).toBeLessThanOrEqual(megabytes * MB);
    },
  );

  it.each([125_000, 12.5e6, 125e6])(
    'leave 8 MiB of %d bytes per second unacknowledged at most when the control plane is away for a minute',
    async (bytesPerSecond) => {
      const { unreportedBytes } = await run(bytesPerSecond, { seconds: 61, awayAfterMs: 100 });
      const { unacknowledgedBytesMin } = defaultLimits;
      expect(unreportedBytes).toBeLessThanOrEqual(unacknowledgedBytesMin);
      expect(unreportedBytes).toBeGreaterThan(Math.min(60 * bytesPerSecond, unacknowledgedBytesMin) * 0.99);
    },
  );

  it('carry all connections at the interval alone', async () => {
    const { updates, usages } = await run(125e6, { idleConnections: 100, seconds: 2 });
    expect(updates).toBeGreaterThan(20);
    expect(usages).toBeLessThanOrEqual(updates + 4 * 100);
  });

  it('carry idle connections every two seconds where ends are told by themselves', async () => {
    const { updates, usages } = await run(0, { idleConnections: 100, areEndsTold: true, seconds: 20 });
    expect(updates).toBe(10);
    expect(usages).toBe(10 * 101);
    const { updates: untold } = await run(0, { idleConnections: 100, seconds: 20 });
    expect(untold).toBeGreaterThanOrEqual(39);
  });

  it('carry busy connections as often as ever where ends are told by themselves', async () => {
    const { updates, usages, laterStarvedMs } = await run(125_000, { idleConnections: 100, areEndsTold: true });
    expect(updates).toBeGreaterThanOrEqual(19);
    expect(usages).toBeLessThanOrEqual(updates + 5 * 100);
    expect(laterStarvedMs).toBe(0);
  });
});
