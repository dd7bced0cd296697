/**
 * What the operator refuses to all customers, in every protocol.
 * @module-tag thorough
 */
import { REFUSED_DESTINATIONS_MAX } from '@cellhop/contract/refused-destinations';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import {
  basic,
  type Harness,
  openClient,
  readMetric,
  socks4Request,
  socks5Connect,
  startHarness,
} from '../test/gateway-harness.ts';
import { ControlPlane } from '../test/control-plane.ts';
import { openSlowLine } from '../test/slow-line.ts';
import { openDnsClient, startReadyNode } from '../test/dns-harness.ts';
import { question, read } from '../test/dns-messages.ts';
import { listenLocally, until } from '../test/sockets.ts';
import { dropped, openEchoing, openPeer, resolving, settle, startNode } from '../test/udp-harness.ts';
import { associate } from '../test/udp.ts';

const TABLE = {
  'bad.test': ['127.0.0.1'],
  'www.bad.test': ['127.0.0.1'],
  'good.test': ['127.0.0.1'],
  'moved.test': ['127.0.0.9'],
};

async function start(...entries: string[]) {
  const names = await resolving(TABLE);
  const node = await startNode({ nameServers: [names.address], limits: { updateIntervalMs: 20 } });
  await refuse(node, ...entries);
  const { server, port } = await listenLocally((socket) => socket.pipe(socket));
  onTestFinished(() => void server.close());
  return { ...node, names, port, connection: node.control.sell() };
}

let sizeOfLast = 0;

/** Waits until the node has the list, which is longer than the last one. */
async function refuse(node: Harness, ...entries: string[]) {
  while (entries.length <= sizeOfLast) entries.push(`filler-${entries.length}.example`);
  sizeOfLast = entries.length;
  await until(() => node.control.held.size > 0);
  node.control.refuse(...entries);
  await expect.poll(() => readMetric(node.gateway, 'gateway_refused_destinations')).toBe(entries.length);
}

async function rest(port: number, bytes: string | Buffer) {
  const client = await openClient(port);
  client.socket.write(bytes);
  const received = await client.rest();
  client.socket.destroy();
  return received.bytes;
}

it('a name with everything below it is refused over SOCKS5, SOCKS4, CONNECT and absolute-form, before it is resolved', async () => {
  const { gateway, connection, names, port } = await start('.bad.test');
  const authorization = `Proxy-Authorization: ${basic(connection)}\r\n`;
  for (const host of ['bad.test', 'www.bad.test', 'WWW.Bad.Test.']) {
    expect((await socks5Connect(gateway, connection, host, port)).reply).toBe(2);
    const tunnel = `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}\r\n${authorization}Connection: close\r\n\r\n`;
    const answer = (await rest(gateway.port, tunnel)).toString();
    expect(answer).toMatch(
      /^HTTP\/1.1 403 [^]*Proxy-Status: gateway; error=http_request_denied; details="destination-refused"/,
    );
    const request = `GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}\r\n${authorization}Connection: close\r\n\r\n`;
    expect((await rest(gateway.port, request)).toString()).toMatch(/^HTTP\/1.1 403 [^]*operator[^]*not allow/);
  }
  const socks4 = socks4Request('bad.test', port, `${connection.username}:${connection.password}`);
  expect([...(await rest(gateway.port, socks4))].slice(0, 2)).toEqual([0, 0x5b]);
  // The node itself resolves `localhost`.
  expect(names.queries.filter((name) => name.endsWith('.test'))).toEqual([]);
  expect(await readMetric(gateway, 'gateway_refusals_total', { reason: 'destination-refused' })).toBe(10);
  await until(() => connection.refusals.some(({ reason }) => reason === 'destination-refused'));
  expect((await socks5Connect(gateway, connection, 'good.test', port)).reply).toBe(0);
});

it('a network is refused as a literal, and as the address of a name', async () => {
  const { gateway, connection, port } = await start('127.0.0.9/32');
  expect((await socks5Connect(gateway, connection, '127.0.0.9', port)).reply).toBe(2);
  expect((await socks5Connect(gateway, connection, 'moved.test', port)).reply).toBe(2);
  expect((await socks5Connect(gateway, connection, 'good.test', port)).reply).toBe(0);
});

it('a name is no address: who sends the address gets there', async () => {
  const { gateway, connection, port } = await start('.bad.test');
  expect((await socks5Connect(gateway, connection, '127.0.0.1', port)).reply).toBe(0);
});

it('open tunnels to what is refused now end with a reset, by name and by the address that was dialled, and no others', async () => {
  const node = await start();
  const { gateway, connection, port } = node;
  const [named, dialled, other] = await Promise.all(
    ['bad.test', 'good.test', '127.0.0.1'].map((host) => socks5Connect(gateway, connection, host, port)),
  );
  await refuse(node, 'bad.test');
  expect((await named!.client.rest()).end).toBe('reset');
  dialled!.client.socket.write('open');
  expect((await dialled!.client.take(4)).toString()).toBe('open');
  await refuse(node, '127.0.0.1/32');
  expect((await dialled!.client.rest()).end).toBe('reset');
  expect((await other!.client.rest()).end).toBe('reset');
  expect(await readMetric(gateway, 'gateway_tunnel_ends_total', { reason: 'destination-refused' })).toBe(3);
  await until(() => connection.refusals.some(({ reason }) => reason === 'destination-refused'));
});

it('datagrams to a refused name or address are dropped, also in an association that has sent there, and so are answers', async () => {
  const node = await start('bad.test');
  const echo = await openEchoing();
  const association = await associate(node.gateway, node.connection);
  association.send('bad.test', echo.port, 'refused');
  await until(() => dropped(node, 'destination-refused') === 1);
  association.send('good.test', echo.port, 'passes');
  expect((await association.udp.next()).toString()).toContain('passes');
  await refuse(node, 'good.test');
  association.send('good.test', echo.port, 'refused');
  await until(() => dropped(node, 'destination-refused') === 2);
  await settle(association, echo);
  expect(node.gateway.metrics.udp.relayed.toExit).toBe(2);
  const origin = await openPeer();
  const arrived = once(origin.socket, 'message') as Promise<[Buffer, { port: number }]>;
  association.send('127.0.0.1', origin.port, 'passes');
  const [, from] = await arrived;
  await refuse(node, '127.0.0.1/32');
  origin.socket.send('an answer', from.port, '127.0.0.1');
  await until(() => dropped(node, 'destination-refused') === 3);
  await until(() => node.connection.refusals.some(({ reason }) => reason === 'destination-refused'));
  association.close();
});

it('a DNS port refuses questions for a refused name, and asks no name server', async () => {
  const node = await startReadyNode();
  await refuse(node, '.bad.test');
  const client = await openDnsClient(node.dnsPort);
  expect(read(await client.ask(question('www.BAD.test')))).toMatchObject({ code: 5, answers: 0 });
  expect(node.resolver.asked).toEqual([]);
});

it('a control plane that knows no list takes none away', async () => {
  const node = await start('bad.test');
  const { gateway, connection, port, control } = node;
  control.refusedDestinations = undefined;
  const calls = control.calls.hello;
  await until(() => control.held.size > 0);
  for (const respond of control.held) respond({ ended: [], areDestinationsChanged: true });
  await until(() => control.calls.hello > calls);
  expect((await socks5Connect(gateway, connection, 'bad.test', port)).reply).toBe(2);
});

it('a line on which the whole list takes longer than a call may carries it, and the heartbeats go on', async () => {
  const control = await new ControlPlane().start();
  const entries = Array.from({ length: REFUSED_DESTINATIONS_MAX }, (_, n) => `a-name-of-usual-length-${n}.example`);
  control.refusedDestinations = { revision: 'long', entries };
  // All of it is 2 MB: at this rate it takes several times as long as a call may. A page takes a small part of it.
  const controlUrl = await openSlowLine(control.url, 1_000_000);
  const limits = { controlRequestMs: 500, helloIntervalMs: 20, helloRetryMs: 20 };
  const node = await startHarness({ controlUrl, limits }, control);
  onTestFinished(() => node.stop());
  await until(() => control.calls.hello > 0);
  const before = control.calls.hello;
  await expect
    .poll(() => readMetric(node.gateway, 'gateway_refused_destinations'), { timeout: 60_000 })
    .toBe(REFUSED_DESTINATIONS_MAX);
  expect(control.calls.hello).toBeGreaterThan(before);
});
