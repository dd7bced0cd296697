import type { Exit } from '@cellhop/contract/exits';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ControlPlane } from '../test/control-plane.ts';
import { type Harness, socks5Connect, startHarness, untilGauge } from '../test/gateway-harness.ts';
import { freePort } from '../../tools/ports.mjs';
import { listenLocally, until } from '../test/sockets.ts';
import type { GatewaySettings } from './gateway.ts';

const MIB = 1_048_576;
/** A public address, assigned to an interface of this machine by a mock. */
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
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function mockInterfaces(read: typeof os.networkInterfaces) {
  const { mock } = vi.spyOn(os, 'networkInterfaces').mockImplementation(read);
  // The gateway imports the function by its name.
  syncBuiltinESMExports();
  return mock;
}

/** Mocks a node whose only address is public. */
const publicInterfaces = () =>
  mockInterfaces(() => ({
    eth0: [{ address: OWN, netmask: '255.255.255.0', family: 'IPv4', mac: '', internal: false, cidr: null }],
  }));

/** Sends endlessly to every client. */
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
  it('does not block those of other connections, and is retried', async () => {
    const metricsPort = await freePort();
    const { control, gateway, lines } = await start({ limits: fast, metricsPort });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const connections = Array.from({ length: 5 }, () => control.sell());
    const [refused, ...others] = connections;
    control.refused.add(refused!.id);
    for (const connection of connections) {
      const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
      client.socket.write('12345');
      await client.take(5);
    }
    await until(() => others.every(({ usedBytes }) => usedBytes === 10));
    await untilGauge(gateway, 'gateway_refused_connections', 1);
    expect(refused!.usedBytes).toBe(0);
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
    control.refused.clear();
    await until(() => refused!.usedBytes === 10);
    await untilGauge(gateway, 'gateway_refused_connections', 0);
    expect(await health()).toMatchObject({ refusedConnections: 0 });
    const errors = lines.filter(({ level }) => level === 50);
    expect(errors).toMatchObject([{ call: 'update', status: 400, code: 'VALIDATION' }]);
    expect(errors[0]!['details']).toEqual([{ path: 'body.usages.0.usedBytes', message: 'Too big' }]);
  });

  it('of a final total does not block other final totals', async () => {
    const { control, gateway } = await start({ limits: fast });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const [refused, other, third] = [control.sell(), control.sell(), control.sell()];
    for (const connection of [refused, other, third]) await socks5Connect(gateway, connection, '127.0.0.1', port);
    await until(() => control.calls.update > 1);
    for (const connection of [refused, other]) connection.state = 'ended';
    control.refused.add(refused.id);
    await until(() => other.endedAtBytes === 0);
    expect(refused.endedAtBytes).toBeUndefined();
    control.refused.clear();
    await until(() => refused.endedAtBytes === 0);
  });

  it('of one connection stops only its tunnels at their window, is logged with its id, and they continue when it is accepted', async () => {
    const { control, gateway, lines } = await start({ limits: { ...fast, ...narrow } });
    const port = await startSource();
    const [refused, other] = [control.sell(), control.sell()];
    control.refused.add(refused.id);
    const { client } = await socks5Connect(gateway, refused, '127.0.0.1', port);
    const { client: otherClient } = await socks5Connect(gateway, other, '127.0.0.1', port);
    await client.take(MIB);
    const logLines = (id: string) =>
      lines.filter(({ connectionIds }) => Array.isArray(connectionIds) && connectionIds.includes(id));
    await until(() => logLines(refused.id).length > 0);
    const before = otherClient.receivedBytes;
    await until(() => otherClient.receivedBytes > before + 8 * MIB);
    otherClient.socket.destroy();
    expect(client.receivedBytes).toBe(14 + MIB);
    expect(logLines(refused.id)).toMatchObject([{ level: 40, call: 'update', count: 1 }]);
    control.refused.clear();
    await client.take(4 * MIB);
    expect(logLines(refused.id)).toMatchObject([{ level: 40 }, { level: 30, call: 'update' }]);
    expect(logLines(other.id)).toEqual([]);
    client.socket.destroy();
  });

  it('stops tunnels at their window and is logged, and they continue when it is accepted', async () => {
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

describe('the heartbeat', () => {
  it('exchanges versions', async () => {
    const { control, gateway, lines } = await start({ limits: { ...fast, helloIntervalMs: 20 } });
    control.helloResponse = {
      ...control.helloResponse,
      contractVersion: 3,
      oldestContractVersion: 2,
    };
    await until(() => lines.some(({ controlPlaneVersion }) => controlPlaneVersion === 3));
    const version = await gateway.metrics.registry.getSingleMetricAsString('gateway_control_contract_version');
    expect(version).toMatch(/ 3$/);
    expect(lines.filter(({ level }) => level === 50)).toEqual([]);
  });

  it('does not hide a wrong address of the control plane', async () => {
    const otherControl = await new ControlPlane().start();
    stops.push(() => Promise.resolve(otherControl.stop()));
    const metricsPort = await freePort();
    const { lines } = await start({ limits: fast, metricsPort, controlUrl: `${otherControl.url}/otherControl` });
    await until(() => lines.some(({ level, status }) => level === 40 && status === 404));
    const health = await fetch(`http://127.0.0.1:${metricsPort}/health`);
    expect(await health.json()).toMatchObject({ status: 'degraded', controlPlane: 'away' });
  });

  it('logs that this node is too old', async () => {
    const { control, lines } = await start({ limits: { ...fast, helloIntervalMs: 20 } });
    control.helloResponse = {
      ...control.helloResponse,
      contractVersion: 9,
      oldestContractVersion: 8,
      unknown: {},
    };
    await until(() => lines.some(({ controlPlaneVersion }) => controlPlaneVersion === 9));
    expect(lines.filter(({ controlPlaneVersion }) => controlPlaneVersion === 9)).toMatchObject([{ level: 50 }]);
  });
});

describe('a response of a newer control plane', () => {
  it('may contain entries that this node cannot parse; the others apply', async () => {
    const { control, gateway } = await start({ limits: fast });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const connection = control.sell();
    control.unknownCredits = [{ connectionId: connection.id, state: 'paused', until: 'tomorrow' }, 'news'];
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    await until(() => control.calls.update > 1);
    connection.state = 'ended';
    expect((await client.rest()).end).toBe('reset');
  });
});

describe('an exit of an unknown kind', () => {
  it('fails only the tunnels of its connection, and is logged once a minute', async () => {
    const { control, gateway, lines } = await start({ limits: fast });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const unknown = { kind: 'agent', agentId: 'one' } as unknown as Exit;
    const [unsupported, supported] = [control.sell({ exit: unknown }), control.sell()];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await socks5Connect(gateway, unsupported, '127.0.0.1', port)).reply).toBe(1);
      expect((await socks5Connect(gateway, supported, '127.0.0.1', port)).reply).toBe(0);
    }
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([{ call: 'authorize', code: 'UNREADABLE' }]);
  });
});

describe('a node on a public address', () => {
  it('refuses its own ports to its customers, except the published one', async () => {
    publicInterfaces();
    const publishedPort = 3999;
    const { control, gateway } = await start({
      allowPrivate: false,
      limits: { ...fast, dialMs: 50, helloIntervalMs: 20 },
    });
    // With a loopback source address nothing leaves this machine.
    const connection = control.sell({ exit: { kind: 'local-address', address: '127.0.0.2' } });
    const replyAt = async (port: number) => (await socks5Connect(gateway, connection, OWN, port)).reply;
    for (const port of [22, 5432, publishedPort]) expect(await replyAt(port)).toBe(2);
    control.helloResponse = {
      ...control.helloResponse,
      publicUrl: `http://${OWN}:${publishedPort}`,
    };
    const { hello } = control.calls;
    await until(() => control.calls.hello > hello + 1);
    expect(await replyAt(publishedPort)).not.toBe(2);
    expect(await replyAt(5432)).toBe(2);
  });

  it('keeps its known addresses if they cannot be read', async () => {
    publicInterfaces();
    const { control, gateway } = await start({ allowPrivate: false, limits: { exitCheckMs: 10 } });
    const mock = mockInterfaces(() => {
      throw new Error('EMFILE');
    });
    const before = mock.calls.length;
    await until(() => mock.calls.length > before + 2);
    expect((await socks5Connect(gateway, control.sell(), OWN, 5432)).reply).toBe(2);
  });
});
