import { afterEach, expect, it } from 'vitest';
import type { FakeConnection } from '../test/control-plane.ts';
import { basic, type Harness, openClient, socks5Connect, startHarness, untilGauge } from '../test/gateway-harness.ts';
import { freePort } from '../../tools/ports.mjs';
import { listenLocally } from '../test/sockets.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** The allowed label names. */
const LABELS = new Set(['call', 'direction', 'event', 'le', 'limit', 'outcome', 'protocol', 'reason', 'relay']);

interface Visit {
  readonly connection: FakeConnection;
  readonly name: string;
  readonly port: number;
  readonly page: string;
  readonly wrongPassword: string;
}

/** Opens tunnels that succeed and fail, and sends requests, one with a wrong password. */
async function visit({ gateway }: Harness, { connection, name, port, page, wrongPassword }: Visit): Promise<void> {
  for (const [host, toPort] of [
    ['127.0.0.1', port],
    [`${name}.localhost`, port],
    ['127.0.0.1', await freePort()],
    [`${name}.invalid`, 80],
  ] as const) {
    const { client } = await socks5Connect(gateway, connection, host, toPort);
    client.socket.end();
    await client.rest();
  }
  for (const password of [connection.password, wrongPassword]) {
    const client = await openClient(gateway.port);
    const login = basic({ username: connection.username, password });
    client.socket.write(
      `GET http://${name}.localhost:${port}/${page} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${login}\r\n`,
    );
    client.socket.write('Connection: close\r\n\r\n');
    await client.rest();
    client.socket.destroy();
  }
  await untilGauge(gateway, 'gateway_client_sockets', 0);
  await untilGauge(gateway, 'gateway_tunnels', 0);
}

/** Metric names with their labels and label values. */
async function readSeries({ gateway }: Harness): Promise<string[]> {
  const lines = (await gateway.metrics.registry.metrics()).split('\n');
  return lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.slice(0, line.lastIndexOf(' ')));
}

it('metrics contain no user, connection, client or destination', async () => {
  const harness = await startHarness();
  stops.push(() => harness.stop());
  const { control, gateway } = harness;
  const { port } = await listenLocally((socket) => socket.end('four'));
  const connection = control.sell({ username: 'a-user-of-theirs' });
  await visit(harness, { connection, name: 'site', port, page: 'a-page', wrongPassword: 'a-wrong-password' });
  const { registry } = gateway.metrics;
  const labels = (await registry.getMetricsAsJSON()).flatMap(({ values }) => values.map((value) => value.labels));
  expect(labels.length).toBeGreaterThan(20);
  expect([...new Set(labels.flatMap((each) => Object.keys(each)))].filter((name) => !LABELS.has(name))).toEqual([]);
  const text = await registry.metrics();
  expect(text).toContain('gateway_tunnel_ends_total{reason="dial-failed"}');
  const { id, username, password } = connection;
  for (const secret of [id, username, password, 'a-wrong-password', '127.0.0.1', 'site', 'a-page', `:${port}`])
    expect(text).not.toContain(secret);
});

it('metrics get no new series or label for another user with other destinations', async () => {
  const harness = await startHarness();
  stops.push(() => harness.stop());
  const visitAs = async (name: string) => {
    const { port } = await listenLocally((socket) => socket.end('four'));
    const connection = harness.control.sell({ username: name });
    await visit(harness, { connection, name, port, page: name, wrongPassword: name });
  };
  await visitAs('one');
  const before = await readSeries(harness);
  await visitAs('other');
  expect(await readSeries(harness)).toEqual(before);
});
