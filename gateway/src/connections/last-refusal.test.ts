import { REFUSAL_REPORT_MS } from '@cellhop/contract/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import { type Harness, socks4Request, openClient, socks5Connect, startHarness } from '../../test/gateway-harness.ts';
import { until } from '../../test/sockets.ts';
import { LastRefusal } from './last-refusal.ts';

describe('the last refusal of a connection', () => {
  it('is reported once, however many there were, and the next one after the interval', () => {
    const refusals = new LastRefusal();
    const now = performance.now();
    for (let count = 0; count < 1_000; count += 1) refusals.record('invalid-credentials');
    refusals.record('no-credit');
    expect(refusals.report(now + 100)?.reason).toBe('no-credit');
    refusals.acknowledge();
    expect(refusals.report(now + 100 + REFUSAL_REPORT_MS)).toBeUndefined();
    refusals.record('cap-reached');
    expect(refusals.report(now + 99 + REFUSAL_REPORT_MS)).toBeUndefined();
    expect(refusals.report(now + 100 + REFUSAL_REPORT_MS)?.reason).toBe('cap-reached');
  });

  it('is reported again if the report failed, and not lost if another one came in between', () => {
    const refusals = new LastRefusal();
    const now = performance.now() + 1_000;
    refusals.record('no-credit');
    expect(refusals.report(now)?.reason).toBe('no-credit');
    expect(refusals.report(now + REFUSAL_REPORT_MS)?.reason).toBe('no-credit');
    refusals.record('cap-reached');
    refusals.acknowledge();
    expect(refusals.report(now + 2 * REFUSAL_REPORT_MS)?.reason).toBe('cap-reached');
  });

  it('is no failure of a destination or of a request, and names no detail of an exit', () => {
    const refusals = new LastRefusal();
    for (const cause of ['connection-refused', 'name-not-found', 'dial-timeout', 'malformed', 'client-closed'] as const)
      refusals.record(cause);
    expect(refusals.report(Number.MAX_SAFE_INTEGER)).toBeUndefined();
    refusals.record('upstream-auth-failed');
    expect(refusals.report(Number.MAX_SAFE_INTEGER)?.reason).toBe('exit-unavailable');
  });
});

describe('a gateway reports to the owner of a connection that', () => {
  let node: Harness;
  let connection: FakeConnection;
  beforeEach(async () => {
    node = await startHarness({ limits: { updateIntervalMs: 20 } });
    connection = node.control.sell();
  });
  afterEach(() => node.stop());

  const connect = async (login: FakeConnection, host = '127.0.0.1', port = 1) => {
    const { client, reply } = await socks5Connect(node.gateway, login, host, port);
    client.socket.destroy();
    return reply;
  };
  const reported = () => until(() => connection.refusals.length > 0).then(() => connection.refusals);

  it('a program uses a wrong password, without another call, and tells the program nothing', async () => {
    expect(await connect(connection)).toBe(5);
    const client = await openClient(node.gateway.port);
    client.socket.write(socks4Request('127.0.0.1', 1, `${connection.username}:wrong`));
    expect([...(await client.rest()).bytes].slice(0, 2)).toEqual([0, 0x5d]);
    expect(await reported()).toMatchObject([{ reason: 'invalid-credentials' }]);
  });

  it('its cap is reached', async () => {
    Object.assign(connection, { allowedBytes: 0, reason: 'CAP' });
    expect(await connect(connection)).toBe(2);
    expect(await reported()).toMatchObject([{ reason: 'cap-reached' }]);
  });

  it('a port is not allowed', async () => {
    expect(await connect(connection, '127.0.0.1', 25)).toBe(2);
    expect(await reported()).toMatchObject([{ reason: 'port-prohibited' }]);
    expect(connection.refusals[0]!.agoMs).toBeLessThan(10_000);
  });

  it('and with the final total, if there is no report before', async () => {
    const rare = await startHarness({ limits: { updateIntervalMs: 600_000 } });
    const sold = rare.control.sell();
    const { client } = await socks5Connect(rare.gateway, sold, '127.0.0.1', 25);
    client.socket.destroy();
    await rare.stop();
    expect(sold.refusals).toMatchObject([{ reason: 'port-prohibited' }]);
  });
});
