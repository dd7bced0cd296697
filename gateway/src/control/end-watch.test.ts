import type { WatchAnswer } from '@cellhop/contract/gateway';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Harness, socks5Connect, startHarness } from '../../test/gateway-harness.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { EndWatch } from './end-watch.ts';

describe('a node that is told of ends', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function start(limits: Partial<Limits>): Promise<Harness & { port: number }> {
    const harness = await startHarness({ limits });
    const { server, port } = await listenLocally((socket) => socket.pipe(socket));
    stops.push(async () => {
      await harness.stop();
      server.close();
    });
    return { ...harness, port };
  }

  it('cuts the tunnels at once, before any report, and delivers the last total', async () => {
    const { control, gateway, port } = await start({ updateIntervalMs: 600_000 });
    const connection = control.sell();
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    client.socket.write('12345');
    await client.take(5);
    await until(() => control.held.size === 1);
    const [toldAt, rest] = [performance.now(), client.rest()];
    control.tellEnd(connection);
    expect((await rest).end).toBe('reset');
    expect(performance.now() - toldAt).toBeLessThan(1_000);
    await until(() => connection.endedAtBytes === 10);
    await until(() => control.held.size === 1);
    const told = await gateway.metrics.registry.getSingleMetricAsString('gateway_ends_are_told');
    expect(told).toMatch(/ 1$/);
  });

  it('learns of ends by its reports from a control plane that does not know the call, and does not insist', async () => {
    const harness = await start({ updateIntervalMs: 20, watchSpacingMs: 1 });
    const { control, gateway, port } = harness;
    control.greeting = undefined;
    const connection = control.sell();
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    connection.state = 'ended';
    expect((await client.rest()).end).toBe('reset');
    expect(control.calls.watch).toBeLessThanOrEqual(1);
  });

  it('leaves no held call behind when it stops', async () => {
    const { control, gateway } = await start({});
    await until(() => control.held.size === 1);
    await gateway.close();
    await expect.poll(() => control.held.size).toBe(0);
  });
});

/** Calls in a minute of a control plane that answers like this. */
async function callsInMinute(answer: () => Promise<WatchAnswer | undefined>) {
  let calls = 0;
  const watch = () => {
    calls += 1;
    return answer();
  };
  const endWatch = new EndWatch({
    control: { watch },
    limits: defaultLimits,
    log: pino({ level: 'silent' }),
    told: ({ ended }) => ended.includes('open here'),
  });
  endWatch.start();
  await vi.advanceTimersByTimeAsync(60_000);
  endWatch.stop();
  return { calls, isHeld: endWatch.isHeld };
}

const heldFor = (ms: number, ended: string[]) => () =>
  new Promise<WatchAnswer>((fulfil) => void setTimeout(() => fulfil({ ended }), ms));

describe('the held call', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('is sent again when it was answered, and is believed to be held', async () => {
    expect(await callsInMinute(heldFor(25_000, []))).toEqual({ calls: 3, isHeld: true });
  });

  it('is sent again at once behind news', async () => {
    const { calls, isHeld } = await callsInMinute(heldFor(955, ['open here']));
    expect([calls, isHeld]).toEqual([60, true]);
  });

  it.each([
    ['is answered at once without news', () => Promise.resolve({ ended: [] })],
    ['is answered at once with what is known', () => Promise.resolve({ ended: ['ended before'] })],
    ['fails', () => Promise.reject(new Error('away'))],
  ])('is sent seldom when it %s', async (_name, answer) => {
    const { calls, isHeld } = await callsInMinute(answer);
    expect(calls).toBeGreaterThan(30);
    expect(calls).toBeLessThan(75);
    expect(isHeld).toBe(false);
  });

  it('is sent once a minute to a control plane that does not know it', async () => {
    expect(await callsInMinute(() => Promise.resolve(undefined))).toEqual({ calls: 2, isHeld: false });
  });
});
