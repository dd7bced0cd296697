import { afterEach, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../test/control-plane.ts';
import {
  basic,
  type Harness,
  openClient,
  socks5Connect,
  socks5Greeting,
  socks5Login,
  socks5Request,
  startHarness,
} from '../test/gateway-harness.ts';
import { listenLocally, until } from '../test/sockets.ts';
import type { Limits } from './limits.ts';

const LISTED = '127.0.0.9';
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Node = Harness & { port: number };

async function start(limits: Partial<Limits> = {}): Promise<Node> {
  const harness = await startHarness({ limits: { helloIntervalMs: 20, ...limits } });
  const { server, port } = await listenLocally((socket) => socket.pipe(socket));
  stops.push(async () => {
    await harness.stop();
    server.close();
  });
  return { ...harness, port };
}

/** Sends CONNECT, without credentials if none are given. */
async function connect({ gateway, port }: Node, login?: Pick<FakeConnection, 'username' | 'password'>, from?: string) {
  const client = await openClient(gateway.port, from);
  const field = login ? `Proxy-Authorization: ${basic(login)}\r\n` : '';
  client.socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n${field}\r\n`);
  const head = await client.takeUntil('\r\n\r\n');
  return { client, head, status: Number(head.slice(9, 12)) };
}

async function requestStatus(node: Node, login?: Pick<FakeConnection, 'username' | 'password'>, from?: string) {
  const { client, status } = await connect(node, login, from);
  client.socket.destroy();
  return status;
}

async function readCounts(counter: { get(): Promise<{ values: { labels: object; value: number }[] }> }) {
  const { values } = await counter.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(Object.values(labels)[0]), value]));
}

const held = (node: Node) => until(() => node.control.held.size === 1);

/** Announces the access of a connection, and waits until the node has applied it: then it sends the next long poll. */
async function announceAccess({ control }: Node, connection: FakeConnection) {
  const { watch } = control.calls;
  control.announceAccess(connection);
  await until(() => control.calls.watch > watch);
}

const rareReports = { updateIntervalMs: 600_000 };

describe('a new password', () => {
  it('closes the tunnels of the old password immediately, before any report, and refuses the old password', async () => {
    const node = await start(rareReports);
    const connection = node.control.sell();
    const before = { ...connection };
    const { client } = await socks5Connect(node.gateway, connection, '127.0.0.1', node.port);
    await held(node);
    node.control.changeAccess(connection, { password: 'another-password' });
    const [announcedAt, rest] = [performance.now(), client.rest()];
    node.control.announceAccess(connection);
    expect((await rest).end).toBe('reset');
    expect(performance.now() - announcedAt).toBeLessThan(10_000);
    expect(await requestStatus(node, before)).toBe(407);
    expect(await requestStatus(node, connection)).toBe(200);
    expect(await readCounts(node.gateway.metrics.tunnelEnds)).toMatchObject({ 'password-changed': 1 });
  });

  it('takes effect with the next report if it was not announced', async () => {
    const node = await start({ updateIntervalMs: 20, idleUpdateIntervalMs: 40 });
    const connection = node.control.sell();
    const before = { ...connection };
    const { client } = await socks5Connect(node.gateway, connection, '127.0.0.1', node.port);
    node.control.changeAccess(connection, { password: 'another-password' });
    expect((await client.rest()).end).toBe('reset');
    expect(await requestStatus(node, before)).toBe(407);
  });

  it('refuses a client that has logged in with the old password and has no tunnel yet', async () => {
    const node = await start(rareReports);
    const connection = node.control.sell();
    const client = await openClient(node.gateway.port);
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    expect((await client.take(4))[3]).toBe(0);
    await held(node);
    node.control.changeAccess(connection, { password: 'another-password' });
    await announceAccess(node, connection);
    client.socket.write(socks5Request('127.0.0.1', node.port));
    expect((await client.rest()).bytes.toString('hex', 0, 2)).toBe('0501');
    expect(await readCounts(node.gateway.metrics.refusals)).toEqual({ 'invalid-credentials': 1 });
  });

  it('does not close the tunnels of listed clients', async () => {
    const node = await start(rareReports);
    const connection = node.control.sell();
    node.control.changeAccess(connection, { allowList: [LISTED] });
    const { client, status } = await connect(node, undefined, LISTED);
    expect(status).toBe(200);
    await held(node);
    node.control.changeAccess(connection, { password: 'another-password' });
    await announceAccess(node, connection);
    client.socket.write('still');
    expect((await client.take(5)).toString()).toBe('still');
    client.socket.destroy();
  });
});

describe('an allow-list', () => {
  it('admits listed clients without a password, over every protocol, and others only with it', async () => {
    const node = await start();
    const connection = node.control.sell();
    node.control.changeAccess(connection, { allowList: ['127.0.0.8/30', '2001:db8::/56'] });
    expect(await requestStatus(node, undefined, LISTED)).toBe(200);
    expect(await requestStatus(node, undefined, '127.0.0.12')).toBe(407);
    expect(await requestStatus(node, connection, '127.0.0.12')).toBe(200);
    expect(await requestStatus(node, { ...connection, password: 'wrong' }, LISTED)).toBe(407);

    const socks5 = await openClient(node.gateway.port, LISTED);
    socks5.socket.write(Buffer.concat([Buffer.from([5, 1, 0]), socks5Request('127.0.0.1', node.port)]));
    expect([...(await socks5.take(2))]).toEqual([5, 0]);
    expect((await socks5.take(10))[1]).toBe(0);
    socks5.socket.destroy();
    const refused = await openClient(node.gateway.port, '127.0.0.12');
    refused.socket.write(Buffer.from([5, 1, 0]));
    expect([...(await refused.rest()).bytes]).toEqual([5, 0xff]);

    const request = await openClient(node.gateway.port, LISTED);
    request.socket.write(`GET http://127.0.0.1:${node.port}/ HTTP/1.1\r\nHost: 127.0.0.1:${node.port}\r\n\r\n`);
    // The origin echoes the request, which is no valid response; so it was dialled.
    expect(await request.takeUntil('\r\n\r\n')).toContain('HTTP/1.1 502');
    request.socket.destroy();
    expect(node.control.calls.authorizeAddress).toBeLessThanOrEqual(2);
    expect(await readCounts(node.gateway.metrics.refusals)).toEqual({
      'invalid-credentials': 3,
      'response-malformed': 1,
    });
  });

  it('closes the tunnels of removed clients immediately after a change, and admits new ones', async () => {
    const node = await start(rareReports);
    const connection = node.control.sell();
    node.control.changeAccess(connection, { allowList: [LISTED, '127.0.0.10'] });
    const [{ client }, stays] = [await connect(node, undefined, LISTED), await connect(node, undefined, '127.0.0.10')];
    const byPassword = await connect(node, connection, LISTED);
    expect(await requestStatus(node, undefined, '127.0.0.11')).toBe(407);
    await held(node);
    node.control.changeAccess(connection, { allowList: ['127.0.0.10', '127.0.0.11'] });
    const rest = client.rest();
    node.control.announceAccess(connection);
    expect((await rest).end).toBe('reset');
    expect(await requestStatus(node, undefined, LISTED)).toBe(407);
    expect(await requestStatus(node, undefined, '127.0.0.11')).toBe(200);
    for (const { client: open } of [stays, byPassword]) {
      open.socket.write('still');
      expect((await open.take(5)).toString()).toBe('still');
      open.socket.destroy();
    }
    expect(await readCounts(node.gateway.metrics.tunnelEnds)).toMatchObject({ 'address-removed': 1 });
  });

  it('requires a password for an address that two connections list, and says why', async () => {
    const node = await start();
    const [one, two] = [node.control.sell(), node.control.sell()];
    for (const connection of [one, two]) node.control.changeAccess(connection, { allowList: [LISTED] });
    const { client, head } = await connect(node, undefined, LISTED);
    expect(head).toMatch(/^HTTP\/1.1 407 [^]*Proxy-Authenticate: /);
    client.socket.destroy();
    expect(await requestStatus(node, two, LISTED)).toBe(200);
    expect(await readCounts(node.gateway.metrics.refusals)).toEqual({ 'address-ambiguous': 1 });
  });

  it('with a longer prefix takes an address over from a cached connection, whose open tunnels stay', async () => {
    const node = await start({ updateIntervalMs: 20 });
    const [network, single] = [node.control.sell(), node.control.sell()];
    node.control.changeAccess(network, { allowList: ['127.0.0.0/24'] });
    const { client: before } = await connect(node, undefined, LISTED);
    await held(node);
    node.control.changeAccess(single, { allowList: [LISTED] });
    await announceAccess(node, single);
    const { client: after } = await connect(node, undefined, LISTED);
    for (const [client, text] of [
      [before, 'still'],
      [after, 'new'],
    ] as const) {
      client.socket.write(text);
      expect((await client.take(text.length)).toString()).toBe(text);
    }
    await until(() => network.usedBytes + single.usedBytes === 16);
    expect([network.usedBytes, single.usedBytes]).toEqual([10, 6]);
    for (const client of [before, after]) client.socket.destroy();
  });

  it('with a longer prefix takes an address over at the next check if its announcement was lost', async () => {
    const node = await start({ updateIntervalMs: 20, credentialsCacheMs: 100 });
    const [network, single] = [node.control.sell(), node.control.sell()];
    node.control.changeAccess(network, { allowList: ['127.0.0.0/24'] });
    expect(await requestStatus(node, undefined, LISTED)).toBe(200);
    node.control.changeAccess(single, { allowList: [LISTED] });
    while (single.usedBytes === 0) {
      const { client } = await connect(node, undefined, LISTED);
      client.socket.write('echo');
      await client.take(4);
      client.socket.destroy();
    }
  });

  it('caches no response that was on its way when an allow-list changed', async () => {
    const node = await start({ updateIntervalMs: 20 });
    const [network, single] = [node.control.sell(), node.control.sell()];
    node.control.changeAccess(network, { allowList: ['127.0.0.0/24'] });
    await held(node);
    const { promise, resolve } = Promise.withResolvers<void>();
    node.control.delaysAddressesUntil = promise;
    const early = connect(node, undefined, LISTED);
    await until(() => node.control.calls.authorizeAddress === 1);
    node.control.changeAccess(single, { allowList: [LISTED] });
    await announceAccess(node, single);
    resolve();
    (await early).client.socket.destroy();
    const { client } = await connect(node, undefined, LISTED);
    client.socket.write('echo');
    await client.take(4);
    await until(() => network.usedBytes + single.usedBytes === 8);
    expect(single.usedBytes).toBe(8);
    client.socket.destroy();
  });

  it('costs few calls for strangers: refusals are cached, and limited for each network', async () => {
    const node = await start({ addressRefusalsPerMinute: 3 });
    for (let count = 0; count < 5; count += 1) expect(await requestStatus(node)).toBe(407);
    expect(node.control.calls.authorizeAddress).toBe(1);
    const uncached = await start({ addressRefusalsPerMinute: 3, addressRefusalCacheMs: 0 });
    for (let count = 0; count < 8; count += 1) expect(await requestStatus(uncached)).toBe(407);
    expect(uncached.control.calls.authorizeAddress).toBe(3);
  });

  it('still sends the challenge to clients with a password while the control plane is unavailable', async () => {
    const node = await start({ addressRequestMs: 50 });
    const connection = node.control.sell();
    expect(await requestStatus(node, connection)).toBe(200);
    node.control.isUnresponsive = true;
    expect(await requestStatus(node)).toBe(407);
    expect(await requestStatus(node, connection)).toBe(200);
    node.control.isUnresponsive = false;
  });

  it('may contain addresses that used the password: each is sent to the control plane', async () => {
    const node = await start({ newAddressRecheckMs: 0 });
    const connection = node.control.sell();
    for (const from of ['127.0.0.1', '127.0.0.2']) expect(await requestStatus(node, connection, from)).toBe(200);
    await until(() => node.control.clientAddresses.size === 2);
    expect([...node.control.clientAddresses]).toEqual(['127.0.0.1', '127.0.0.2']);
  });
});

describe('the end of a connection', () => {
  it.each([
    ['USER', 403, 2, 'user', 'ended-by-user'],
    ['ADMIN', 403, 2, 'staff', 'ended-by-staff'],
    ['IDLE', 403, 2, 'idle', 'ended-idle'],
    ['NO_MONEY', 402, 2, 'no-money', 'ended-no-money'],
    ['EXIT_LOST', 403, 1, 'exit-lost', 'ended-exit-lost'],
    ['CAP', 403, 2, 'cap', 'ended-at-cap'],
    ['A_NEWER_REASON', 403, 2, 'other', 'ended'],
    [undefined, 407, undefined, 'other', 'invalid-credentials'],
  ])('with the reason %s returns %s to a client with its password', async (reason, status, reply, label, cause) => {
    const node = await start(rareReports);
    const connection = node.control.sell();
    const { client } = await socks5Connect(node.gateway, connection, '127.0.0.1', node.port);
    await held(node);
    node.control.announceEnd(connection, reason);
    expect((await client.rest()).end).toBe('reset');
    await until(() => connection.endedAtBytes === 0);
    const refused = await connect(node, connection);
    expect(refused.status).toBe(status);
    expect(refused.head).toContain(
      status === 407 ? 'Proxy-Authenticate: ' : `Proxy-Status: gateway; error=http_request_denied; details="${cause}"`,
    );
    refused.client.socket.destroy();
    expect(await readCounts(node.gateway.metrics.connectionEnds)).toEqual({ [label]: 1 });
    const socks5 = await openClient(node.gateway.port);
    socks5.socket.write(
      Buffer.concat([socks5Greeting, socks5Login(connection), socks5Request('127.0.0.1', node.port)]),
    );
    const replies = [...(await socks5.rest()).bytes];
    // The right password is accepted, because only the reply to the request can name a cause.
    expect(replies.slice(0, 6)).toEqual(reply === undefined ? [5, 2, 1, 1] : [5, 2, 1, 0, 5, reply]);
    expect(await readCounts(node.gateway.metrics.refusals)).toEqual({ [cause]: 2 });
  });

  it('at its cap is exact to the byte: granted bytes are delivered, and new tunnels are refused with the cause', async () => {
    const node = await start({ updateIntervalMs: 20 });
    const connection = node.control.sell({ allowedBytes: 1000, reason: 'CAP' });
    const { client } = await connect(node, connection);
    client.socket.write(Buffer.alloc(600));
    // Upload counts, too.
    expect((await client.rest()).bytes).toHaveLength(400);
    await until(() => connection.endedAtBytes === 1000);
    expect(await readCounts(node.gateway.metrics.tunnelEnds)).toEqual({ 'cap-reached': 1 });
    expect(await readCounts(node.gateway.metrics.connectionEnds)).toEqual({ cap: 1 });
    const { client: late, status } = await connect(node, connection);
    expect(status).toBe(403);
    late.socket.destroy();
    expect(await readCounts(node.gateway.metrics.refusals)).toEqual({ 'cap-reached': 1 });
  });
});
