import type { Credit as CreditGrant, Usage } from '@cellhop/contract/gateway';
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

interface Result {
  /** Milliseconds in which the client received less than its rate. */
  readonly starvedMs: number;
  /** The same without the first tenth of a second, in which the gateway measures the rate. */
  readonly laterStarvedMs: number;
  readonly updates: number;
  /** In all updates together. */
  readonly usages: number;
  /** The maximum of granted megabytes that had not begun: money is held for them. */
  readonly heldMegabytes: number;
  /** The maximum of used bytes that were not reported: what is lost if the gateway is killed. */
  readonly unreportedBytes: number;
}

/** A client with a constant rate on simulated time; the control plane grants whole megabytes, as the real one does. */
async function run(
  bytesPerSecond: number,
  {
    roundTripMs = 5,
    seconds = 10,
    idleConnections = 0,
    isEndWatchActive = false,
    unavailableAfterMs = Number.POSITIVE_INFINITY,
  } = {},
): Promise<Result> {
  let [granted, used, reported] = [50 * MB, 0, 0];
  const result = { starvedMs: 0, laterStarvedMs: 0, updates: 0, usages: 0, heldMegabytes: 0, unreportedBytes: 0 };
  const startedAt = performance.now();
  const update = async (usages: readonly Usage[]): Promise<CreditGrant[]> => {
    result.updates += 1;
    result.usages += usages.length;
    await pause(roundTripMs / 2);
    if (performance.now() - startedAt > unavailableAfterMs) throw new Error('the control plane is unavailable');
    const grants = usages.map(({ connectionId, usedBytes, wantedBytes }) => {
      if (connectionId !== ID) return { connectionId, grantedBytes: 50 * MB, state: 'open' as const };
      reported = Math.max(reported, usedBytes);
      granted = Math.max(granted, Math.ceil((usedBytes + wantedBytes) / MB) * MB);
      return { connectionId, grantedBytes: granted, state: 'open' as const };
    });
    await pause(roundTripMs / 2);
    return grants;
  };
  let authorized = 0;
  const authorize = () => {
    const connectionId = authorized === 0 ? ID : `00000000-0000-4000-9000-${String(authorized).padStart(12, '0')}`;
    authorized += 1;
    const exit = { kind: 'local-address', id: ID, address: null } as const;
    return Promise.resolve({
      isAuthorized: true,
      connectionId,
      exit,
      usedBytes: 0,
      uploadedBytes: 0,
      grantedBytes: 50 * MB,
      state: 'open',
      access: { revision: 1, passwordRevision: 1, allowList: [] },
      dnsPort: null,
    } as const);
  };
  const control = Object.assign(Object.create(ControlClient.prototype) as ControlClient, {
    update,
    authorize,
    authorizeAddress: authorize,
    end: () => Promise.resolve([]),
  });
  const connections = new Connections({
    control,
    limits: defaultLimits,
    log: pino({ level: 'silent' }),
    exits: { get: () => ({ isLost: false }) as Exit },
    onEnd: () => {},
    dnsPorts: { opened: () => {}, closed: () => {}, accessChanged: () => {} },
  });
  const reporter = new Reporter(connections, control, defaultLimits, pino({ level: 'silent' }), () => isEndWatchActive);
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
    if (taken < wanted) result.starvedMs += STEP_MS;
    if (taken < wanted && ms >= RAMP_MS) result.laterStarvedMs += STEP_MS;
    result.heldMegabytes = Math.max(result.heldMegabytes, granted / MB - Math.max(50, Math.ceil(used / MB)));
    result.unreportedBytes = Math.max(result.unreportedBytes, used - reported);
    await vi.advanceTimersByTimeAsync(STEP_MS);
  }
  reporter.stop();
  return result;
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

describe('grants', () => {
  it.each([
    ['128 kbit/s', 16_000],
    ['10 Mbit/s', 1_250_000],
    ['50 Mbit/s', 6_250_000],
  ])('to a client of %s hold one megabyte and never make it wait', async (_name, bytesPerSecond) => {
    const result = await run(bytesPerSecond, { seconds: 60 });
    expect(result.heldMegabytes).toBeLessThanOrEqual(1);
    expect(result.starvedMs).toBe(0);
  });

  it.each([
    ['1 Gbit/s', 125e6, 5],
    ['1 Gbit/s with a long round trip', 125e6, 60],
    ['1 Gbit/s with a slow control plane', 125e6, 20],
    ['1 GB/s', 1e9, 5],
    ['2 GB/s', 2e9, 5],
  ])('never make a client of %s wait once its rate is known', async (_name, bytesPerSecond, roundTripMs) => {
    const seconds = 5;
    const { starvedMs, laterStarvedMs } = await run(bytesPerSecond, { roundTripMs, seconds });
    expect(laterStarvedMs).toBe(0);
    expect(starvedMs).toBeLessThan(0.02 * seconds * 1000);
  });

  it('hold at most a tenth of a second at 1 Gbit/s', async () => {
    const { heldMegabytes } = await run(125e6);
    expect(heldMegabytes).toBeLessThan(13);
  });
});

describe('reports', () => {
  it.each([
    ['1 Mbit/s', 125_000, 5, 2.5, 0.1],
    ['100 Mbit/s', 12.5e6, 5, 11, 2.5],
    ['1 Gbit/s', 125e6, 5, 70, 5],
    ['1 Gbit/s with a near control plane', 125e6, 1, 62, 3],
    ['1 Gbit/s with a long round trip', 125e6, 60, 20, 24],
    ['2 GB/s', 2e9, 5, 210, 64],
  ])(
    'are few, and leave few bytes unacknowledged at %s',
    async (_name, bytesPerSecond, roundTripMs, updatesPerSecond, megabytes) => {
      const { updates, unreportedBytes } = await run(bytesPerSecond, { roundTripMs });
      expect(updates / 10).toBeLessThanOrEqual(updatesPerSecond);
      expect(unreportedBytes).toBeLessThanOrEqual(megabytes * MB);
    },
  );

  it.each([125_000, 12.5e6, 125e6])(
    'leave at most 8 MiB unacknowledged at %d bytes per second while the control plane is unavailable for a minute',
    async (bytesPerSecond) => {
      const { unreportedBytes } = await run(bytesPerSecond, { seconds: 61, unavailableAfterMs: 100 });
      const { unacknowledgedBytesMin } = defaultLimits;
      expect(unreportedBytes).toBeLessThanOrEqual(unacknowledgedBytesMin);
      expect(unreportedBytes).toBeGreaterThan(Math.min(60 * bytesPerSecond, unacknowledgedBytesMin) * 0.99);
    },
  );

  it('contain all connections only at each interval', async () => {
    const { updates, usages } = await run(125e6, { idleConnections: 100, seconds: 2 });
    expect(updates).toBeGreaterThan(20);
    expect(usages).toBeLessThanOrEqual(updates + 4 * 100);
  });

  it('contain idle connections every two seconds while the end watch is active', async () => {
    const { updates, usages } = await run(0, { idleConnections: 100, isEndWatchActive: true, seconds: 20 });
    expect(updates).toBe(10);
    expect(usages).toBe(10 * 101);
    const { updates: withoutWatch } = await run(0, { idleConnections: 100, seconds: 20 });
    expect(withoutWatch).toBeGreaterThanOrEqual(39);
  });

  it('contain busy connections at each interval even while the end watch is active', async () => {
    const { updates, usages, laterStarvedMs } = await run(125_000, { idleConnections: 100, isEndWatchActive: true });
    expect(updates).toBeGreaterThanOrEqual(19);
    expect(usages).toBeLessThanOrEqual(updates + 5 * 100);
    expect(laterStarvedMs).toBe(0);
  });
});
