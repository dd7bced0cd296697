import type { Exit } from '@cellhop/contract/gateway';
import { randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ControlPlane } from '../test/control-plane.ts';
import { type Harness, socks5Connect, startHarness } from '../test/gateway-harness.ts';
import { closedPort, listenLocally, until } from '../test/sockets.ts';
import type { GatewaySettings } from './gateway.ts';

vi.mock('node:os', async (load) => {
  const os = await load<typeof import('node:os')>();
  return { ...os, networkInterfaces: vi.fn<typeof os.networkInterfaces>(os.networkInterfaces) };
});

const MIB = 1_048_576;
/** Public, and given to an interface of this machine by a fake. */
const OWN = '198.41.7.7';
const stops: (() => Promise<void>)[] = [];

async function start(settings: Partial<GatewaySettings> = {}) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const log = pino({ level: 'info' }, { write });
  const harness: Harness = await startHarness({ log, ...settings });
  stops.push(() => harness.stop());
  return { ...harness, lines };
}

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  vi.mocked(networkInterfaces).mockReset();
});

/** The node's only address is a public one. */
const publicInterfaces = () =>
  vi.mocked(networkInterfaces).mockReturnValue({
    eth0: [{ address: OWN, netmask: '255.255.255.0', family: 'IPv4', mac: '', internal: false, cidr: null }],
  });

/** Sends without end to whoever connects. */
async function startSource(): Promise<number> {
  const block = Buffer.alloc(65_536, 'source');
  const { port } = await listenLocally((socket) => {
    const fill = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', fill);
    fill();
  });
  return port;
}

const narrow = { unacknowledgedBytesMin: MIB, grantWaitMs: 60_000 };
const fast = { updateIntervalMs: 20, updateRetryMs: 50, refusedReportMs: 200, helloRetryMs: 50 };

describe('a refused report', () => {
  it('does not hold up those of other connections, and is tried again', async () => {
    const metricsPort = await closedPort();
    const { control, gateway, lines } = await start({ limits: fast, metricsPort });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const connections = Array.from({ length: 5 }, () => control.sell());
    const [poisoned, ...others] = connections;
    control.poisoned.add(poisoned!.id);
    for (const connection of connections) {
      const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
      client.socket.write('12345');
      await client.take(5);
    }
    await until(() => others.every(({ usedBytes }) => usedBytes === 10));
    expect(poisoned!.usedBytes).toBe(0);
    const health = async () => {
      const response = await fetch(`http://127.0.0.1:${metricsPort}/health`);
      return { httpStatus: response.status, ...((await response.json()) as object) };
    };
    expect(await health()).toEqual({
      httpStatus: 503,
      status: 'degraded',
      controlPlane: 'refusing',
      refusedConnections: 1,
    });
    const text = await gateway.metrics.registry.metrics();
    expect(text).toMatch(/gateway_refused_calls_total\{call="update"\} [1-9]/);
    expect(text).toContain('gateway_refused_connections 1');
    expect(text).toContain('gateway_control_plane_up 1');
    control.poisoned.clear();
    await until(() => poisoned!.usedBytes === 10);
    expect(await health()).toMatchObject({ refusedConnections: 0 });
    const errors = lines.filter(({ level }) => level === 50);
    expect(errors).toMatchObject([{ call: 'update', status: 400, code: 'VALIDATION' }]);
    expect(errors[0]!['details']).toEqual([{ path: 'body.usages.0.usedBytes', message: 'Too big' }]);
  });

  it('of a last total does not hold up other last totals', async () => {
    const { control, gateway } = await start({ limits: fast });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const [poisoned, other, third] = [control.sell(), control.sell(), control.sell()];
    for (const connection of [poisoned, other, third]) await socks5Connect(gateway, connection, '127.0.0.1', port);
    await until(() => control.calls.update > 1);
    for (const connection of [poisoned, other]) connection.state = 'ended';
    control.poisoned.add(poisoned.id);
    await until(() => other.endedAtBytes === 0);
    expect(poisoned.endedAtBytes).toBeUndefined();
    control.poisoned.clear();
    await until(() => poisoned.endedAtBytes === 0);
  });

  it('of one connection stops its tunnels alone, at their window, is logged with its id, and they go on when it is taken', async () => {
    const { control, gateway, lines } = await start({ limits: { ...fast, ...narrow } });
    const port = await startSource();
    const [poisoned, other] = [control.sell(), control.sell()];
    control.poisoned.add(poisoned.id);
    const { client } = await socks5Connect(gateway, poisoned, '127.0.0.1', port);
    const { client: otherClient } = await socks5Connect(gateway, other, '127.0.0.1', port);
    await client.take(MIB);
    const linesOf = (id: string) =>
      lines.filter(({ connectionIds }) => Array.isArray(connectionIds) && connectionIds.includes(id));
    await until(() => linesOf(poisoned.id).length > 0);
    const before = otherClient.receivedBytes;
    await until(() => otherClient.receivedBytes > before + 8 * MIB);
    otherClient.socket.destroy();
    expect(client.receivedBytes).toBe(14 + MIB);
    expect(linesOf(poisoned.id)).toMatchObject([{ level: 40, call: 'update', count: 1 }]);
    control.poisoned.clear();
    await client.take(4 * MIB);
    expect(linesOf(poisoned.id)).toMatchObject([{ level: 40 }, { level: 30, call: 'update' }]);
    expect(linesOf(other.id)).toEqual([]);
    client.socket.destroy();
  });

  it('stops tunnels at their window and is logged, and they go on when it is taken', async () => {
    const { control, gateway, lines } = await start({ limits: { ...fast, ...narrow } });
    const port = await startSource();
    control.isRefusing = true;
    const { client } = await socks5Connect(gateway, control.sell(), '127.0.0.1', port);
    await client.take(MIB);
    const refusals = () => lines.filter(({ call }) => call === 'update');
    await until(() => refusals().length > 0);
    expect(refusals()).toMatchObject([{ level: 50, status: 400, code: 'VALIDATION' }]);
    control.isRefusing = false;
    await client.take(4 * MIB);
    client.socket.destroy();
  });
});

describe('the first call', () => {
  it('tells versions', async () => {
    const { control, gateway, lines } = await start({ limits: { ...fast, helloIntervalMs: 20 } });
    control.greeting = { contractVersion: 3, oldestContractVersion: 2, publicUrl: 'http://localhost:3000' };
    await until(() => lines.some(({ controlPlaneVersion }) => controlPlaneVersion === 3));
    const version = await gateway.metrics.registry.getSingleMetricAsString('gateway_control_contract_version');
    expect(version).toMatch(/ 3$/);
    expect(lines.filter(({ level }) => level === 50)).toEqual([]);
  });

  it('is not known to an older control plane, which works all the same', async () => {
    const metricsPort = await closedPort();
    const { control, gateway, lines } = await start({ limits: fast, metricsPort });
    control.greeting = undefined;
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    expect((await socks5Connect(gateway, control.sell(), '127.0.0.1', port)).reply).toBe(0);
    await until(() => lines.some(({ nodeVersion }) => nodeVersion === 3));
    expect((await fetch(`http://127.0.0.1:${metricsPort}/health`)).status).toBe(200);
  });

  it('hides no wrong address of the control plane', async () => {
    const elsewhere = await new ControlPlane().start();
    stops.push(() => Promise.resolve(elsewhere.stop()));
    const metricsPort = await closedPort();
    const { lines } = await start({ limits: fast, metricsPort, controlUrl: `${elsewhere.url}/elsewhere` });
    await until(() => lines.some(({ level, status }) => level === 40 && status === 404));
    const health = await fetch(`http://127.0.0.1:${metricsPort}/health`);
    expect(await health.json()).toMatchObject({ status: 'degraded', controlPlane: 'away' });
  });

  it('says when this node is too old', async () => {
    const { control, lines } = await start({ limits: { ...fast, helloIntervalMs: 20 } });
    control.greeting = { contractVersion: 9, oldestContractVersion: 8, publicUrl: 'http://localhost:3000', news: {} };
    await until(() => lines.some(({ controlPlaneVersion }) => controlPlaneVersion === 9));
    expect(lines.filter(({ controlPlaneVersion }) => controlPlaneVersion === 9)).toMatchObject([{ level: 50 }]);
  });
});

describe('an answer of a newer control plane', () => {
  it('may have entries that this node does not understand; the others count', async () => {
    const { control, gateway } = await start({ limits: fast });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const connection = control.sell();
    control.strangeAnswers = [{ connectionId: connection.id, state: 'paused', until: 'tomorrow' }, 'news'];
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    await until(() => control.calls.update > 1);
    connection.state = 'ended';
    expect((await client.rest()).end).toBe('reset');
  });
});

describe('an exit', () => {
  it('is named by its id, or by an older control plane only by what it is', async () => {
    const { control, gateway } = await start({ limits: fast });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const exit: Exit = { kind: 'local-address', address: null };
    for (const named of [{ ...exit, id: randomUUID() }, exit])
      expect((await socks5Connect(gateway, control.sell({ exit: named }), '127.0.0.1', port)).reply).toBe(0);
  });
});

describe('an exit of a kind that this node does not know', () => {
  it('fails the tunnels of its connection alone, and is logged once a minute', async () => {
    const { control, gateway, lines } = await start({ limits: fast });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const unknown = { kind: 'agent', agentId: 'one' } as unknown as Exit;
    const [strange, usual] = [control.sell({ exit: unknown }), control.sell()];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await socks5Connect(gateway, strange, '127.0.0.1', port)).reply).toBe(1);
      expect((await socks5Connect(gateway, usual, '127.0.0.1', port)).reply).toBe(0);
    }
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([{ call: 'authorize', code: 'UNREADABLE' }]);
  });
});

describe('a node on a public address', () => {
  it('refuses its own ports to its customers, but for those of the shop', async () => {
    publicInterfaces();
    const shopPort = 3999;
    const { control, gateway } = await start({
      allowPrivate: false,
      limits: { ...fast, dialMs: 50, helloIntervalMs: 20 },
    });
    // From a loopback address nothing gets beyond this machine.
    const connection = control.sell({ exit: { kind: 'local-address', address: '127.0.0.2' } });
    const replyAt = async (port: number) => (await socks5Connect(gateway, connection, OWN, port)).reply;
    for (const port of [22, 5432, shopPort]) expect(await replyAt(port)).toBe(2);
    control.greeting = { contractVersion: 2, oldestContractVersion: 1, publicUrl: `http://${OWN}:${shopPort}` };
    const { hello } = control.calls;
    await until(() => control.calls.hello > hello + 1);
    expect(await replyAt(shopPort)).not.toBe(2);
    expect(await replyAt(5432)).toBe(2);
  });

  it('goes on when its addresses cannot be read', async () => {
    publicInterfaces();
    const { control, gateway } = await start({ allowPrivate: false, limits: { exitCheckMs: 10 } });
    const { mock } = vi.mocked(networkInterfaces).mockImplementation(() => {
      throw new Error('EMFILE');
    });
    const before = mock.calls.length;
    await until(() => mock.calls.length > before + 2);
    expect((await socks5Connect(gateway, control.sell(), OWN, 5432)).reply).toBe(2);
  });
});
