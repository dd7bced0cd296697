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
  untilGauge,
} from '../test/gateway-harness.ts';
import { listenLocally, until } from '../test/sockets.ts';
import type { Limits } from './limits.ts';

const LISTED = '127.0.0.9';
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Node = Harness & { port: number };

async function start(limits: Partial<Limits> = {}, version = 4): Promise<Node> {
  const harness = await startHarness({ limits: { helloIntervalMs: 20, ...limits } });
  harness.control.greeting = { contractVersion: version, oldestContractVersion: 1, publicUrl: 'http://localhost:3000' };
  const { server, port } = await listenLocally((socket) => socket.pipe(socket));
  stops.push(async () => {
    await harness.stop();
    server.close();
  });
  await untilGauge(harness.gateway, 'gateway_control_contract_version', version);
  return { ...harness, port };
}

/** What a client of CONNECT is answered; without credentials if none are given. */
async function connect({ gateway, port }: Node, login?: Pick<FakeConnection, 'username' | 'password'>, from?: string) {
  const client = await openClient(gateway.port, from);
  const field = login ? `Proxy-Authorization: ${basic(login)}\r\n` : '';
  client.socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n${field}\r\n`);
  const head = await client.takeUntil('\r\n\r\n');
  return { client, head, status: Number(head.slice(9, 12)) };
}

async function statusOf(node: Node, login?: Pick<FakeConnection, 'username' | 'password'>, from?: string) {
  const { client, status } = await connect(node, login, from);
  client.socket.destroy();
  return status;
}

async function countsOf(counter: { get(): Promise<{ values: { labels: object; value: number }[] }> }) {
  const { values } = await counter.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(Object.values(labels)[0]), value]));
}

const held = (node: Node) => until(() => node.control.held.size === 1);

/** Tells a change, and waits until the node has taken it: then it calls again. */
async function tellChange({ control }: Node, connection: FakeConnection) {
  const { watch } = control.calls;
  control.tellChange(connection);
  await until(() => control.calls.watch > watch);
}

const seldom = { updateIntervalMs: 600_000 };

describe('a new password', () => {
  it('cuts the tunnels of the old one at once when it is told, before any report, and the old one is refused', async () => {
    const node = await start(seldom);
    const connection = node.control.sell();
    const before = { ...connection };
    const { client } = await socks5Connect(node.gateway, connection, '127.0.0.1', node.port);
    await held(node);
    node.control.change(connection, { password: 'another-password' });
    const [toldAt, rest] = [performance.now(), client.rest()];
    node.control.tellChange(connection);
    expect((await rest).end).toBe('reset');
    expect(performance.now() - toldAt).toBeLessThan(1_000);
    expect(await statusOf(node, before)).toBe(407);
    expect(await statusOf(node, connection)).toBe(200);
    expect(await countsOf(node.gateway.metrics.tunnelEnds)).toMatchObject({ 'password-changed': 1 });
  });

  it('that was not told is learned from the next report', async () => {
    const node = await start({ updateIntervalMs: 20, idleUpdateIntervalMs: 40 });
    const connection = node.control.sell();
    const before = { ...connection };
    const { client } = await socks5Connect(node.gateway, connection, '127.0.0.1', node.port);
    node.control.change(connection, { password: 'another-password' });
    expect((await client.rest()).end).toBe('reset');
    expect(await statusOf(node, before)).toBe(407);
  });

  it('refuses a client that has logged in with the old one and has no tunnel yet', async () => {
    const node = await start(seldom);
    const connection = node.control.sell();
    const client = await openClient(node.gateway.port);
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    expect((await client.take(4))[3]).toBe(0);
    await held(node);
    node.control.change(connection, { password: 'another-password' });
    await tellChange(node, connection);
    client.socket.write(socks5Request('127.0.0.1', node.port));
    expect((await client.rest()).bytes).toHaveLength(0);
    expect(await countsOf(node.gateway.metrics.refusals)).toEqual({ 'credentials-wrong': 1 });
  });

  it('leaves the tunnels of listed clients alone', async () => {
    const node = await start(seldom);
    const connection = node.control.sell();
    node.control.change(connection, { allowList: [LISTED] });
    const { client, status } = await connect(node, undefined, LISTED);
    expect(status).toBe(200);
    await held(node);
    node.control.change(connection, { password: 'another-password' });
    await tellChange(node, connection);
    client.socket.write('still');
    expect((await client.take(5)).toString()).toBe('still');
    client.socket.destroy();
  });
});

describe('an allow-list', () => {
  it('lets listed clients in without a password, over every protocol, and others with it alone', async () => {
    const node = await start();
    const connection = node.control.sell();
    node.control.change(connection, { allowList: ['127.0.0.8/30', '2001:db8::/56'] });
    expect(await statusOf(node, undefined, LISTED)).toBe(200);
    expect(await statusOf(node, undefined, '127.0.0.12')).toBe(407);
    expect(await statusOf(node, connection, '127.0.0.12')).toBe(200);
    expect(await statusOf(node, { ...connection, password: 'wrong' }, LISTED)).toBe(407);

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
    // The origin echoes what it gets, which is no answer: it was dialled.
    expect(await request.takeUntil('\r\n\r\n')).toContain('HTTP/1.1 502');
    request.socket.destroy();
    expect(node.control.calls.authorizeAddress).toBeLessThanOrEqual(2);
    expect(await countsOf(node.gateway.metrics.refusals)).toEqual({ 'credentials-wrong': 3, 'answer-malformed': 1 });
  });

  it('that has changed cuts the tunnels of clients that are not on it any longer, at once, and lets new ones in', async () => {
    const node = await start(seldom);
    const connection = node.control.sell();
    node.control.change(connection, { allowList: [LISTED, '127.0.0.10'] });
    const [{ client }, stays] = [await connect(node, undefined, LISTED), await connect(node, undefined, '127.0.0.10')];
    const byPassword = await connect(node, connection, LISTED);
    expect(await statusOf(node, undefined, '127.0.0.11')).toBe(407);
    await held(node);
    node.control.change(connection, { allowList: ['127.0.0.10', '127.0.0.11'] });
    const rest = client.rest();
    node.control.tellChange(connection);
    expect((await rest).end).toBe('reset');
    expect(await statusOf(node, undefined, LISTED)).toBe(407);
    expect(await statusOf(node, undefined, '127.0.0.11')).toBe(200);
    for (const { client: open } of [stays, byPassword]) {
      open.socket.write('still');
      expect((await open.take(5)).toString()).toBe('still');
      open.socket.destroy();
    }
    expect(await countsOf(node.gateway.metrics.tunnelEnds)).toMatchObject({ 'address-removed': 1 });
  });

  it('of two connections with the same address asks for a password, and says why', async () => {
    const node = await start();
    const [one, two] = [node.control.sell(), node.control.sell()];
    for (const connection of [one, two]) node.control.change(connection, { allowList: [LISTED] });
    const { client, head } = await connect(node, undefined, LISTED);
    expect(head).toMatch(/^HTTP\/1.1 407 [^]*Proxy-Authenticate: /);
    client.socket.destroy();
    expect(await statusOf(node, two, LISTED)).toBe(200);
    expect(await countsOf(node.gateway.metrics.refusals)).toEqual({ 'address-shared': 1 });
  });

  it('costs few calls for strangers: an address is asked about once, and few addresses of a network', async () => {
    const node = await start({ addressRefusalsPerMinute: 3 });
    for (let count = 0; count < 5; count += 1) expect(await statusOf(node)).toBe(407);
    expect(node.control.calls.authorizeAddress).toBe(1);
    const shortly = await start({ addressRefusalsPerMinute: 3, addressRefusalKeptMs: 0 });
    for (let count = 0; count < 8; count += 1) expect(await statusOf(shortly)).toBe(407);
    expect(shortly.control.calls.authorizeAddress).toBe(3);
  });

  it('does not keep clients with a password from being asked for it while the control plane is away', async () => {
    const node = await start({ addressRequestMs: 50 });
    const connection = node.control.sell();
    expect(await statusOf(node, connection)).toBe(200);
    node.control.isSilent = true;
    expect(await statusOf(node)).toBe(407);
    expect(await statusOf(node, connection)).toBe(200);
    node.control.isSilent = false;
  });

  it('can be made of the addresses from which the password was used: the control plane is told each', async () => {
    const node = await start({ addressNoteSpacingMs: 0 });
    const connection = node.control.sell();
    for (const from of ['127.0.0.1', '127.0.0.2']) expect(await statusOf(node, connection, from)).toBe(200);
    await until(() => node.control.clientAddresses.size === 2);
    expect([...node.control.clientAddresses]).toEqual(['127.0.0.1', '127.0.0.2']);
  });
});

describe('a control plane that is older than this node', () => {
  it('is asked about no address, and its connections work', async () => {
    const node = await start({}, 3);
    const connection = node.control.sell({ access: undefined });
    expect(await statusOf(node)).toBe(407);
    expect(await statusOf(node, connection)).toBe(200);
    expect(node.control.calls.authorizeAddress).toBe(0);
  });

  it('may be upgraded: the first revision that it tells cuts nothing, a later one does', async () => {
    const node = await start({ updateIntervalMs: 20, idleUpdateIntervalMs: 20 }, 3);
    const connection = node.control.sell({ access: undefined });
    const { client } = await socks5Connect(node.gateway, connection, '127.0.0.1', node.port);
    connection.access = { revision: 1, passwordRevision: 1, allowList: [] };
    const { update } = node.control.calls;
    await until(() => node.control.calls.update > update + 2);
    client.socket.write('still');
    expect((await client.take(5)).toString()).toBe('still');
    node.control.change(connection, { password: 'another-password' });
    expect((await client.rest()).end).toBe('reset');
  });
});

describe('the end of a connection', () => {
  it.each([
    ['USER', 403, 'user', 'ended-by-user'],
    ['ADMIN', 403, 'staff', 'ended-by-staff'],
    ['IDLE', 403, 'idle', 'ended-idle'],
    ['NO_MONEY', 402, 'no-money', 'ended-without-money'],
    ['EXIT_LOST', 403, 'exit-lost', 'ended-exit-lost'],
    ['CAP', 403, 'cap', 'ended-at-cap'],
    ['A_NEWER_REASON', 403, 'other', 'ended'],
    [undefined, 407, 'other', 'credentials-wrong'],
  ])('with the reason %s is answered with %s to whoever has its password', async (reason, status, label, cause) => {
    const node = await start(seldom);
    const connection = node.control.sell();
    const { client } = await socks5Connect(node.gateway, connection, '127.0.0.1', node.port);
    await held(node);
    node.control.tellEnd(connection, reason);
    expect((await client.rest()).end).toBe('reset');
    await until(() => connection.endedAtBytes === 0);
    const refused = await connect(node, connection);
    expect(refused.status).toBe(status);
    expect(refused.head).toContain(
      status === 407 ? 'Proxy-Authenticate: ' : 'Proxy-Status: gateway; error=http_request_denied',
    );
    refused.client.socket.destroy();
    expect(await countsOf(node.gateway.metrics.connectionEnds)).toEqual({ [label]: 1 });
    const socks5 = await openClient(node.gateway.port);
    socks5.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    expect([...(await socks5.rest()).bytes]).toEqual([5, 2, 1, 1]);
    expect(await countsOf(node.gateway.metrics.refusals)).toEqual({ [cause]: 2 });
  });

  it('at its cap comes at the byte: what was granted is delivered, and new tunnels are told', async () => {
    const node = await start({ updateIntervalMs: 20 });
    const connection = node.control.sell({ allowedBytes: 1000, reason: 'CAP' });
    const { client } = await connect(node, connection);
    client.socket.write(Buffer.alloc(600));
    // What the client sent counts too.
    expect((await client.rest()).bytes).toHaveLength(400);
    await until(() => connection.endedAtBytes === 1000);
    expect(await countsOf(node.gateway.metrics.tunnelEnds)).toEqual({ 'cap-reached': 1 });
    expect(await countsOf(node.gateway.metrics.connectionEnds)).toEqual({ cap: 1 });
    const { client: late, status } = await connect(node, connection);
    expect(status).toBe(403);
    late.socket.destroy();
    expect(await countsOf(node.gateway.metrics.refusals)).toEqual({ 'cap-reached': 1 });
  });
});
