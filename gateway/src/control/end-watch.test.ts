import type { WatchResponse } from '@cellhop/contract/gateway';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Harness, socks5Connect, startHarness } from '../../test/gateway-harness.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { associate } from '../../test/udp.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { EndWatch } from './end-watch.ts';

describe('a node that watches for ended connections', () => {
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

  it('closes the tunnels immediately, before any report, and delivers the final total', async () => {
    const { control, gateway, port } = await start({ updateIntervalMs: 600_000 });
    const connection = control.sell();
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    client.socket.write('12345');
    await client.take(5);
    await until(() => control.held.size === 1);
    const [announcedAt, rest] = [performance.now(), client.rest()];
    control.announceEnd(connection);
    expect((await rest).end).toBe('reset');
    expect(performance.now() - announcedAt).toBeLessThan(10_000);
    await until(() => connection.endedAtBytes === 10);
    await until(() => control.held.size === 1);
    const metric = await gateway.metrics.registry.getSingleMetricAsString('gateway_end_watch_active');
    expect(metric).toMatch(/ 1$/);
  });

  it('closes a tunnel and an association 100 ms after the announcement at most (median of 15)', async () => {
    const { control, gateway, port } = await start({ updateIntervalMs: 600_000 });
    const durations: number[] = [];
    for (let round = 0; round < 15; round += 1) {
      const connection = control.sell();
      const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
      const association = await associate(gateway, connection);
      await until(() => control.held.size === 1);
      const announcedAt = performance.now();
      control.announceEnd(connection);
      await Promise.all([client.rest(), association.control.rest()]);
      durations.push(performance.now() - announcedAt);
      association.close();
    }
    expect(durations.toSorted((one, other) => one - other)[7]).toBeLessThanOrEqual(100);
  });

  it('falls back to reports if it fails', async () => {
    const { control, gateway, port } = await start({ updateIntervalMs: 20 });
    control.isWatchUnavailable = true;
    const connection = control.sell();
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    connection.state = 'ended';
    expect((await client.rest()).end).toBe('reset');
  });

  it('leaves no open request behind when it stops', async () => {
    const { control, gateway } = await start({});
    await until(() => control.held.size === 1);
    await gateway.close();
    await expect.poll(() => control.held.size).toBe(0);
  });
});

/** The number of calls in a minute to a control plane with this behaviour. */
async function callsInMinute(respond: () => Promise<WatchResponse>) {
  let calls = 0;
  const watch = () => {
    calls += 1;
    return respond();
  };
  const endWatch = new EndWatch({
    control: { watch },
    limits: defaultLimits,
    log: pino({ level: 'silent' }),
    onResponse: ({ ended }) => ended.includes('open here'),
  });
  endWatch.start();
  await vi.advanceTimersByTimeAsync(60_000);
  endWatch.stop();
  return { calls, isHeld: endWatch.isHeld };
}

const heldFor = (ms: number, ended: string[]) => () =>
  new Promise<WatchResponse>((fulfil) => void setTimeout(() => fulfil({ ended }), ms));

describe('the long poll', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('is repeated after each response, and counts as held', async () => {
    expect(await callsInMinute(heldFor(25_000, []))).toEqual({ calls: 3, isHeld: true });
  });

  it('is repeated immediately after an end', async () => {
    const { calls, isHeld } = await callsInMinute(heldFor(955, ['open here']));
    expect([calls, isHeld]).toEqual([60, true]);
  });

  it.each([
    ['returns immediately without ends', () => Promise.resolve({ ended: [] })],
    ['returns immediately with known ends', () => Promise.resolve({ ended: ['ended before'] })],
    ['fails', () => Promise.reject(new Error('unavailable'))],
  ])('backs off when it %s', async (_name, respond) => {
    const { calls, isHeld } = await callsInMinute(respond);
    expect(calls).toBeGreaterThan(30);
    expect(calls).toBeLessThan(75);
    expect(isHeld).toBe(false);
  });
});
