/** @module-tag thorough */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import {
  basic,
  type Harness,
  openClient,
  socks4Request,
  socks5Connect,
  socks5Greeting,
  socks5Login,
  socks5Request,
  startHarness,
} from '../../test/gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';

describe('each refusal is counted once:', () => {
  let harness: Harness;
  let connection: FakeConnection;
  let wrong: FakeConnection;
  let port: number;

  beforeEach(async () => {
    harness = await startHarness({ limits: { loginFailuresPerMinute: 2 } });
    connection = harness.control.sell();
    wrong = { ...connection, password: 'wrong' };
    port = await freePort();
  });
  afterEach(() => harness.stop());

  /** Sends these bytes and waits until the gateway closes. */
  async function send(...bytes: (string | Buffer)[]): Promise<void> {
    const client = await openClient(harness.gateway.port);
    for (const piece of bytes) client.socket.write(piece);
    await client.rest();
    client.socket.destroy();
  }

  const connectHead = (login?: FakeConnection) =>
    `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n${login ? `Proxy-Authorization: ${basic(login)}\r\n` : ''}\r\n`;
  const absolute = (login?: FakeConnection, line = `GET http://127.0.0.1:${port}/ HTTP/1.1`) =>
    `${line}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${login ? `Proxy-Authorization: ${basic(login)}\r\n` : ''}\r\n`;
  const socks5 = (login: FakeConnection, command = 1) =>
    Buffer.concat([socks5Greeting, socks5Login(login), socks5Request('127.0.0.1', port, command)]);

  async function counted(): Promise<Record<string, number>> {
    const { values } = await harness.gateway.metrics.refusals.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels.reason), value]));
  }

  const cases: [string, () => (string | Buffer)[], Record<string, number>][] = [
    ['CONNECT without credentials', () => [connectHead()], { 'invalid-credentials': 1 }],
    ['CONNECT with a wrong password', () => [connectHead(wrong)], { 'invalid-credentials': 1 }],
    ['a request without credentials', () => [absolute()], { 'invalid-credentials': 1 }],
    ['a request with a wrong password', () => [absolute(wrong)], { 'invalid-credentials': 1 }],
    ['SOCKS5 without an acceptable method', () => [Buffer.from([5, 1, 0])], { 'invalid-credentials': 1 }],
    ['SOCKS5 with a wrong password', () => [socks5(wrong)], { 'invalid-credentials': 1 }],
    ['a CONNECT whose dial fails', () => [connectHead(connection)], { 'connection-refused': 1 }],
    ['a request whose dial fails', () => [absolute(connection)], { 'connection-refused': 1 }],
    ['SOCKS5 whose dial fails', () => [socks5(connection)], { 'connection-refused': 1 }],
    ['an unsupported SOCKS5 command', () => [socks5(connection, 2)], { 'command-unsupported': 1 }],
    ['a malformed CONNECT', () => ['CONNECT nothing HTTP/1.1\r\n\r\n'], { malformed: 1 }],
    ['a malformed request', () => ['GET / HTTP/1.1\r\nHost : x\r\n\r\n'], { malformed: 1 }],
    ['a request that is not absolute', () => [absolute(connection, 'GET / HTTP/1.1')], { 'not-absolute': 1 }],
    ['bytes of an unknown protocol', () => [Buffer.from([0, 3, 1])], { malformed: 1 }],
    ['TLS', () => [Buffer.from([0x16, 3, 1])], { 'tls-unsupported': 1 }],
    [
      'SOCKS4 with a wrong password',
      () => [socks4Request('127.0.0.1', port, 'me:wrong')],
      { 'invalid-credentials': 1 },
    ],
  ];

  it.each(cases)('%s', async (_name, bytes, expected) => {
    await send(...bytes());
    expect(await counted()).toEqual(expected);
  });

  it('too many failed logins, with every protocol', async () => {
    await send(connectHead(wrong));
    await send(connectHead({ ...wrong, password: 'wrong again' }));
    const third = { ...wrong, password: 'wrong a third time' };
    await send(socks5(third));
    await send(connectHead(third));
    await send(absolute(third));
    expect(await counted()).toEqual({ 'invalid-credentials': 2, 'too-many-failed-logins': 3 });
  });

  it('a tunnel beyond the limit of its connection', async () => {
    const small = await startHarness({ limits: { tunnelsPerConnection: 0 } });
    const { client, reply } = await socks5Connect(small.gateway, small.control.sell(), '127.0.0.1', port);
    expect(reply).toBe(1);
    const { values } = await small.gateway.metrics.refusals.get();
    expect(values).toMatchObject([{ labels: { reason: 'connection-limit' }, value: 1 }]);
    client.socket.destroy();
    await small.stop();
  });

  it('an evicted client socket is not counted as a disconnect', async () => {
    const small = await startHarness({ limits: { halfOpenPerNetwork: 1 } });
    const first = await openClient(small.gateway.port);
    const second = await openClient(small.gateway.port);
    await first.rest();
    await new Promise(setImmediate);
    expect((await small.gateway.metrics.refusals.get()).values).toEqual([]);
    second.socket.destroy();
    await small.stop();
  });
});
