/** @module-tag long */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { ControlPlane, type FakeConnection } from '../test/control-plane.ts';
import { basic, socks5Connect } from '../test/gateway-harness.ts';
import { freePort } from '../../tools/ports.mjs';
import { connectLocally, listenLocally, until } from '../test/sockets.ts';

const program = fileURLToPath(new URL('../test/gateway-process.ts', import.meta.url));
const METRICS = 'gateway_descriptors_exhausted_total';
const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

interface Launched {
  readonly port: number;
  readonly control: ControlPlane;
  readonly log: () => string;
  readonly exitCode: () => number | null;
  readonly metric: (name: string) => Promise<number>;
}

/** Starts a gateway with a limit of descriptors. `assumed`: the limit that the gateway assumes instead. */
async function launch(descriptors: number, assumed?: number): Promise<Launched> {
  const control = await new ControlPlane().start();
  const metricsPort = await freePort();
  const settings = {
    controlUrl: control.url,
    token: control.token,
    metricsPort,
    descriptors: assumed,
    limits: { descriptorCheckMs: 50, exitCheckMs: 50, loginFailuresPerMinute: 0, halfOpenPerNetwork: 1_000 },
  };
  const command = 'ulimit -n "$0" && exec "$@"';
  const child = spawn('sh', ['-c', command, String(descriptors), process.execPath, '--import', 'tsx', program], {
    env: {
      PATH: process.env['PATH'],
      ACCELERATOR: process.env['ACCELERATOR'],
      GATEWAY_SETTINGS: JSON.stringify(settings),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  stops.push(() => {
    child.kill('SIGKILL');
    control.stop();
  });
  await until(() => log.includes('Gateway is ready') || child.exitCode !== null);
  const port = Number(/"port":(\d+),"relay"/.exec(log)?.[1]);
  return {
    port,
    control,
    log: () => log,
    exitCode: () => child.exitCode,
    metric: async (name) => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
    },
  };
}

/** Opens sockets and keeps them open, without waiting for responses. */
async function flood(port: number, count: number, bytes: (index: number) => string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = await connectLocally(port, '127.0.0.9').catch(() => undefined);
    if (!socket) continue;
    socket.resume();
    socket.write(bytes(index));
    sockets.push(socket);
  }
  stops.push(() => sockets.forEach((socket) => socket.destroy()));
  return sockets;
}

const absolute = (port: number, login: Pick<FakeConnection, 'username' | 'password'>) =>
  `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nProxy-Authorization: ${basic(login)}\r\n\r\n`;

describe.skipIf(process.platform === 'win32')('a gateway with few descriptors', () => {
  it('survives more sockets than it has descriptors, and still serves other clients', async () => {
    const node = await launch(200);
    const [honest, hostile] = [node.control.sell(), node.control.sell()];
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const before = await socks5Connect(node, honest, '127.0.0.1', port);
    const kinds = [
      '',
      'CONNECT a.test:1 HT',
      absolute(port, { ...hostile, password: 'wrong' }),
      absolute(port, hostile),
      `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(hostile)}\r\n\r\n`,
    ];
    await flood(node.port, 600, (index) => kinds[index % kinds.length]!);
    before.client.socket.write('still');
    expect((await before.client.take(5)).toString()).toBe('still');
    expect((await socks5Connect(node, honest, '127.0.0.1', port)).reply).toBe(0);
    expect(await node.metric('gateway_client_sockets')).toBeLessThanOrEqual(
      await node.metric('gateway_client_sockets_max'),
    );
    expect(await node.metric(METRICS)).toBe(0);
    expect(node.exitCode()).toBeNull();
    expect(node.log()).toContain('lowers the limits of this node');
  });

  it('logs that no descriptor is left, survives, and accepts clients again later', async () => {
    const node = await launch(110, 1_000_000);
    const connection = node.control.sell();
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const before = await socks5Connect(node, connection, '127.0.0.1', port);
    const sockets = await flood(node.port, 300, () => absolute(port, { ...connection, password: 'wrong' }));
    await until(() => node.log().includes('No file descriptor is left'));
    // Others are closed instead of waiting: all that were accepted get a response.
    await until(() =>
      sockets.some(({ readableEnded, errored, bytesRead }) => (readableEnded || errored) && bytesRead === 0),
    );
    // Waits until the exit check fails, which once terminated the process.
    await until(() => node.log().includes('The addresses of this host cannot be read') || node.exitCode() !== null);
    before.client.socket.write('still');
    expect((await before.client.take(5)).toString()).toBe('still');
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => node.metric(METRICS).catch(() => 0)).toBeGreaterThan(0);
    expect((await socks5Connect(node, connection, '127.0.0.1', port)).reply).toBe(0);
    expect(node.exitCode()).toBeNull();
  });
});
