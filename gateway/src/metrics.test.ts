import { afterEach, expect, it } from 'vitest';
import { basic, openClient, socks5Connect, startHarness } from '../test/gateway-harness.ts';
import { closedPort, listenLocally } from '../test/sockets.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** All that a label may be about. */
const LABELS = new Set(['call', 'direction', 'le', 'limit', 'outcome', 'protocol', 'reason', 'relay']);

it('metrics name no user, connection, client or destination', async () => {
  const harness = await startHarness();
  stops.push(() => harness.stop());
  const { control, gateway } = harness;
  const connection = control.sell({ username: 'a-user-of-theirs' });
  const { port } = await listenLocally((socket) => socket.end('four'));
  for (const [host, toPort] of [
    ['127.0.0.1', port],
    ['site.localhost', port],
    ['127.0.0.1', await closedPort()],
    ['site.invalid', 80],
  ] as const) {
    const { client } = await socks5Connect(gateway, connection, host, toPort);
    client.socket.end();
    await client.rest();
  }
  for (const password of [connection.password, 'a-guess']) {
    const client = await openClient(gateway.port);
    const login = basic({ username: connection.username, password });
    client.socket.write(
      `GET http://site.localhost:${port}/a-page HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${login}\r\n`,
    );
    client.socket.end('Connection: close\r\n\r\n');
    await client.rest();
  }
  const { registry } = gateway.metrics;
  const labels = (await registry.getMetricsAsJSON()).flatMap(({ values }) => values.map((value) => value.labels));
  expect(labels.length).toBeGreaterThan(20);
  expect([...new Set(labels.flatMap((each) => Object.keys(each)))].filter((name) => !LABELS.has(name))).toEqual([]);
  const text = await registry.metrics();
  expect(text).toContain('gateway_tunnel_ends_total{reason="dial-failed"}');
  const { id, username, password } = connection;
  for (const secret of [id, username, password, 'a-guess', '127.0.0.1', 'site', 'a-page', `:${port}`])
    expect(text).not.toContain(secret);
});
