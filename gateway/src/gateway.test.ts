import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { relays } from '../test/accelerator.ts';
import { ControlPlane, type FakeConnection } from '../test/control-plane.ts';
import {
  basic,
  type Harness,
  openClient,
  socks5Connect,
  socks5Greeting,
  socks5Login,
  startHarness,
} from '../test/gateway-harness.ts';
import { programArguments } from '../../tools/built-program.ts';
import { freePort } from '../../tools/ports.mjs';
import { listenLocally, patternedBytes, sha256, until } from '../test/sockets.ts';
import { startGateway, type GatewaySettings } from './gateway.ts';
import { defaultLimits } from './limits.ts';

const run = promisify(execFile);
const MIB = 1_048_576;
const stops: (() => Promise<void>)[] = [];

async function start(settings: Partial<GatewaySettings> = {}): Promise<Harness> {
  const harness = await startHarness(settings);
  stops.push(() => harness.stop());
  return harness;
}

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Sends endlessly to every client. */
async function startSource() {
  const block = Buffer.alloc(65_536, 'source');
  const { port } = await listenLocally((socket) => {
    const fill = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', fill);
    socket.resume();
    fill();
  });
  return port;
}

describe.each(relays)('credit control with relay %s', (relay) => {
  let sourcePort: number;
  beforeAll(async () => {
    sourcePort = await startSource();
  });

  it('delivers exactly the paid bytes, reports them and ends the connection', async () => {
    const { control, gateway } = await start({ relay });
    const connection = control.sell({ allowedBytes: 5 * MIB + 123, grantStepBytes: MIB });
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', sourcePort);
    const { bytes, end } = await client.rest();
    expect(end).toBe('reset');
    expect(bytes.length).toBe(5 * MIB + 123);
    await until(() => connection.endedAtBytes !== undefined);
    expect(connection.endedAtBytes).toBe(5 * MIB + 123);
  });

  it('shares one grant between tunnels, exact to the byte', async () => {
    const { control, gateway } = await start({ relay });
    const connection = control.sell({ allowedBytes: 9 * MIB + 7, grantStepBytes: MIB });
    const clients = await Promise.all(
      Array.from({ length: 6 }, () => socks5Connect(gateway, connection, '127.0.0.1', sourcePort)),
    );
    const received = await Promise.all(clients.map(async ({ client }) => (await client.rest()).bytes.length));
    expect(received.reduce((sum, count) => sum + count, 0)).toBe(9 * MIB + 7);
  });

  it('closes all tunnels at the next report after a disconnect', async () => {
    expect(defaultLimits.updateIntervalMs).toBeLessThanOrEqual(500);
    const { control, gateway } = await start({ relay });
    const connection = control.sell();
    const { port } = await listenLocally((socket) => socket.write('hello'));
    const clients = await Promise.all(
      Array.from({ length: 3 }, () => socks5Connect(gateway, connection, '127.0.0.1', port)),
    );
    for (const { client } of clients) await client.take(5);
    const disconnectedAt = performance.now();
    connection.state = 'ended';
    for (const { client } of clients) expect((await client.rest()).end).toBe('reset');
    // Half a second; more on a busy machine.
    expect(performance.now() - disconnectedAt).toBeLessThan(10_000);
    await until(() => connection.endedAtBytes === 15);
    const refused = await openClient(gateway.port);
    refused.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    expect((await refused.rest()).bytes.toString('hex')).toBe('05020101');
  });

  it('waits for a late grant', async () => {
    const { control, gateway } = await start({ relay, limits: { grantWaitMs: 60_000 } });
    const connection = control.sell({ grantStepBytes: 100_000 });
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', sourcePort);
    // More than the first grant, so the tunnel has waited and continued.
    expect(await client.take(300_000)).toHaveLength(300_000);
  });

  it('is closed when no grant comes in time', async () => {
    const { control, gateway } = await start({ relay, limits: { grantWaitMs: 200, lingerMs: 100 } });
    const connection = control.sell({ grantStepBytes: 100_000 });
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', sourcePort);
    connection.grantStepBytes = 0;
    const { end } = await client.rest();
    expect(end).toBe('reset');
    await until(() => connection.usedBytes === connection.grantedBytes);
    expect(connection.endedAtBytes).toBeUndefined();
  });
});

describe('a running gateway', () => {
  it('reports usage at the next interval, and idle connections, too', async () => {
    const { control, gateway } = await start();
    const connection = control.sell();
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    const sentAt = performance.now();
    client.socket.write('12345');
    await until(() => connection.usedBytes === 10);
    // Half a second; more on a busy machine.
    expect(performance.now() - sentAt).toBeLessThan(10_000);
    client.socket.destroy();
    const { update } = control.calls;
    await until(() => control.calls.update > update + 1);
    expect(control.runIds.size).toBe(1);
  });

  it('continues from the old total when an idle connection was ended and is opened again', async () => {
    const { control, gateway } = await start({ limits: { connectionIdleMs: 100 } });
    const connection = control.sell();
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    for (const total of [10, 20]) {
      const { client, reply } = await socks5Connect(gateway, connection, '127.0.0.1', port);
      expect(reply).toBe(0);
      client.socket.end('12345');
      await client.rest();
      await until(() => connection.endedAtBytes === total);
    }
    expect(control.calls.authorize).toBe(2);
  });

  it('continues within its grants while the control plane is unavailable', async () => {
    const { control, gateway } = await start({ limits: { updateIntervalMs: 50, updateRetryMs: 100 } });
    const connection = control.sell();
    const unknownConnection = control.sell();
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const first = await socks5Connect(gateway, connection, '127.0.0.1', port);
    control.isUnavailable = true;
    first.client.socket.write('still');
    expect((await first.client.take(5)).toString()).toBe('still');
    const second = await socks5Connect(gateway, connection, '127.0.0.1', port);
    expect(second.reply).toBe(0);
    second.client.socket.destroy();
    expect((await socks5Connect(gateway, unknownConnection, '127.0.0.1', port)).reply).toBe(1);
    const http = await openClient(gateway.port);
    http.socket.write(
      `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(unknownConnection)}\r\n\r\n`,
    );
    expect((await http.rest()).bytes.toString()).toMatch(/^HTTP\/1.1 503 [^]*Retry-After: 5\r\n/);
    control.isUnavailable = false;
    await until(() => connection.usedBytes === 10);
    expect((await socks5Connect(gateway, unknownConnection, '127.0.0.1', port)).reply).toBe(0);
    first.client.socket.destroy();
  });

  it.each(['isUnavailable', 'isUnresponsive'] as const)(
    'stops at the last granted byte while the control plane %s, then continues',
    async (failure) => {
      const sourcePort = await startSource();
      const { control, gateway } = await start({
        limits: { updateIntervalMs: 50, updateRetryMs: 100, controlRequestMs: 2_000, grantWaitMs: 60_000 },
      });
      const connection = control.sell({ grantStepBytes: 100_000 });
      const { client } = await socks5Connect(gateway, connection, '127.0.0.1', sourcePort);
      await client.take(300_000);
      control[failure] = true;
      const { grantedBytes } = connection;
      await client.take(grantedBytes - 300_000);
      const failures = async () => {
        const { values } = await gateway.metrics.controlRequestSeconds.get();
        return (
          values.find(({ metricName, labels }) => metricName?.endsWith('_count') && labels.outcome === 'failed')
            ?.value ?? 0
        );
      };
      while ((await failures()) < 3) await new Promise((fulfil) => setTimeout(fulfil, 10));
      expect(connection.grantedBytes).toBe(grantedBytes);
      expect(client.receivedBytes).toBe(10 + 4 + grantedBytes);
      control[failure] = false;
      await client.take(300_000);
      client.socket.destroy();
    },
  );

  it('does not depend on the wall clock', async () => {
    const { control, gateway } = await start({ limits: { tunnelIdleMs: 5_000, connectionIdleMs: 5_000 } });
    const connection = control.sell();
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    for (const jumpMs of [86_400_000, -86_400_000]) {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + jumpMs);
      client.socket.write('12345');
      await client.take(5);
      const { update } = control.calls;
      await until(() => control.calls.update > update + 1);
      clock.mockRestore();
    }
    expect(connection).toMatchObject({ usedBytes: 20, endedAtBytes: undefined });
    client.socket.destroy();
  });

  it('reports an exit whose address is missing, refuses its tunnels, and does not affect others', async () => {
    const { control, gateway } = await start({ limits: { exitCheckMs: 50, exitLostMs: 200 } });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const lost = control.sell({ exit: { kind: 'local-address', address: '192.0.2.77' } });
    const present = control.sell({ exit: { kind: 'local-address', address: '127.0.0.2' } });
    const { client, reply } = await socks5Connect(gateway, present, '127.0.0.1', port);
    expect(reply).toBe(0);
    expect((await socks5Connect(gateway, lost, '127.0.0.1', port)).reply).toBe(1);
    const http = await openClient(gateway.port);
    http.socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(lost)}\r\n\r\n`);
    expect((await http.rest()).bytes.toString()).toMatch(/^HTTP\/1.1 503 [^]*error=destination_unavailable/);
    await until(() => lost.isExitLost);
    lost.state = 'ended';
    await until(() => lost.endedAtBytes === 0);
    expect(present.isExitLost).toBe(false);
    client.socket.destroy();
  });

  it('starts before its control plane', async () => {
    const controlPort = await freePort();
    const control = new ControlPlane();
    const gateway = await startGateway({
      host: '127.0.0.1',
      port: 0,
      controlUrl: `http://127.0.0.1:${controlPort}`,
      token: control.token,
      allowPrivate: true,
      log: pino({ level: 'silent' }),
      limits: { lastReportMs: 100 },
    });
    const { port } = await listenLocally((socket) => socket.end());
    const connection = control.sell();
    expect((await socks5Connect(gateway, connection, '127.0.0.1', port)).reply).toBe(1);
    await control.start(controlPort);
    expect((await socks5Connect(gateway, connection, '127.0.0.1', port)).reply).toBe(0);
    await gateway.close();
    control.stop();
  });

  it('blocks an address after failed logins', async () => {
    const { control, gateway } = await start({ limits: { loginFailuresPerMinute: 3 } });
    const { username } = control.sell();
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const client = await openClient(gateway.port);
      client.socket.write(
        `CONNECT a.test:1 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic({ username, password: `wrong-${attempt}` })}\r\n\r\n`,
      );
      expect((await client.rest()).bytes.toString()).toMatch(attempt <= 3 ? /^HTTP\/1.1 407 / : /^HTTP\/1.1 429 /);
    }
    const socks5 = await openClient(gateway.port);
    socks5.socket.write(Buffer.concat([socks5Greeting, socks5Login({ username, password: 'any' })]));
    expect((await socks5.rest()).bytes.toString('hex')).toBe('05020101');
  });

  it('limits the tunnels of one connection', async () => {
    const { control, gateway } = await start({ limits: { tunnelsPerConnection: 2 } });
    const connection = control.sell();
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const opened = [];
    for (const reply of [0, 0, 1]) {
      const tunnel = await socks5Connect(gateway, connection, '127.0.0.1', port);
      expect(tunnel.reply).toBe(reply);
      opened.push(tunnel);
    }
    for (const { client } of opened) client.socket.destroy();
  });

  it('ends an idle tunnel', async () => {
    const { control, gateway } = await start({ limits: { tunnelIdleMs: 100 } });
    const { port } = await listenLocally((socket) => socket.resume());
    const { client } = await socks5Connect(gateway, control.sell(), '127.0.0.1', port);
    expect((await client.rest()).end).toBe('reset');
  });

  it('counts bytes and handshakes in its metrics', async () => {
    const { control, gateway } = await start();
    const connection = control.sell();
    const { port } = await listenLocally((socket) => socket.end('four'));
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    client.socket.end();
    await client.rest();
    const text = await gateway.metrics.registry.metrics();
    expect(text).toContain('gateway_bytes_total{direction="toClient",protocol="socks5"} 4');
    expect(text).toMatch(/^gateway_relay_info\{relay="(?:splice|pump|streams)"\} 1$/m);
    expect(text).toContain('gateway_handshake_seconds_count 1');
  });
});

describe('curl', () => {
  let harness: Harness;
  let connection: FakeConnection;
  let origin: Server;
  let url: string;
  const body = patternedBytes(20 * MIB);
  /** The bytes of each connection, as counted by the destination. */
  const seen: { readonly uploadedBytes: number; readonly usedBytes: number }[] = [];

  beforeAll(async () => {
    harness = await startHarness();
    origin = createServer((request, response) => {
      if (request.method === 'GET') response.setHeader('content-length', body.length).end(body);
      else void text(request).then((received) => response.end(String(received.length)));
    });
    origin.on('connection', (socket) => {
      socket.on('close', () => {
        const { bytesRead, bytesWritten } = socket;
        seen.push({ uploadedBytes: bytesRead, usedBytes: bytesRead + bytesWritten });
      });
    });
    origin.listen(0, '127.0.0.1');
    await once(origin, 'listening');
    url = `http://localhost:${(origin.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await harness.stop();
    origin.close();
  });

  it.each([
    ['SOCKS5', (port: number) => ['--socks5-hostname', `127.0.0.1:${port}`]],
    ['an absolute-form request', (port: number) => ['-x', `http://127.0.0.1:${port}`]],
    ['CONNECT', (port: number) => ['-p', '-x', `http://127.0.0.1:${port}`]],
  ])('downloads and uploads through %s, with exact counts in each direction', async (_name, proxy) => {
    connection = harness.control.sell();
    seen.length = 0;
    const login = ['-U', `${connection.username}:${connection.password}`];
    const options = ['-sS', '--fail', '--noproxy', '', ...proxy(harness.gateway.port), ...login, url];
    const { stdout } = await run('curl', options, { encoding: 'buffer', maxBuffer: 64 * MIB });
    expect(sha256(stdout)).toBe(sha256(body));
    await until(() => seen.length === 1 && connection.usedBytes === seen[0]!.usedBytes);
    expect(connection.uploadedBytes).toBe(seen[0]!.uploadedBytes);

    const upload = run('curl', [...options, '-T', '-'], { encoding: 'utf8' });
    upload.child.stdin?.end('x'.repeat(7 * MIB + 1));
    expect((await upload).stdout).toBe(String(7 * MIB + 1));
    const sum = (key: 'usedBytes' | 'uploadedBytes') => seen.reduce((total, each) => total + each[key], 0);
    await until(() => seen.length === 2 && connection.usedBytes === sum('usedBytes'));
    expect(connection.uploadedBytes).toBe(sum('uploadedBytes'));
    expect(connection.uploadedBytes).toBeGreaterThan(7 * MIB);
  });
});

function launch(environment: Record<string, string>) {
  const child = spawn(process.execPath, programArguments('gateway', 'main'), {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  return { child, output, exited: once(child, 'exit').then(([code]) => code as number | null) };
}

describe('the process', () => {
  it('delivers the final totals on a signal, and on two signals in quick succession', async () => {
    const control = await new ControlPlane().start();
    const connection = control.sell();
    const port = await freePort();
    const { child, output, exited } = launch({
      GATEWAY_PORT: String(port),
      GATEWAY_CONTROL_URL: control.url,
      GATEWAY_TOKEN: control.token,
      GATEWAY_ALLOW_PRIVATE: 'true',
      GATEWAY_DRAIN_SECONDS: '30',
    });
    await until(() => output.stdout.includes('Gateway is ready'));
    const { port: echoPort } = await listenLocally((socket) => socket.pipe(socket));
    const { client } = await socks5Connect({ port }, connection, '127.0.0.1', echoPort);
    client.socket.write('ping');
    await client.take(4);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    await until(() => output.stdout.includes('Waiting for tunnels'));
    client.socket.end('pong');
    expect((await client.rest()).bytes.toString()).toBe('pong');
    expect(await exited).toBe(0);
    expect(connection.endedAtBytes).toBe(16);
    expect(output.stdout).not.toContain(connection.password);
    control.stop();
  });

  it('loses exactly eight megabytes of a connection if it is killed while a report is unacknowledged', async () => {
    const control = await new ControlPlane().start();
    const connection = control.sell({ grantedBytes: 50 * MIB });
    const port = await freePort();
    const { child, output, exited } = launch({
      GATEWAY_PORT: String(port),
      GATEWAY_CONTROL_URL: control.url,
      GATEWAY_TOKEN: control.token,
      GATEWAY_ALLOW_PRIVATE: 'true',
    });

    await until(() => output.stdout.includes('Gateway is ready'));
    let sentBytes = 0;
    const { port: originPort } = await listenLocally((socket) => {
      socket.write('hello');
      socket.once('data', () => {
        const block = Buffer.alloc(65_536, 'origin');
        const fill = () => {
          while (!socket.destroyed && socket.write(block));
        };
        socket.on('drain', fill);
        socket.on('close', () => (sentBytes = socket.bytesWritten));
        fill();
      });
    });
    const { client } = await socks5Connect({ port }, connection, '127.0.0.1', originPort);
    await client.take(5);
    await until(() => connection.usedBytes === 5);
    control.isUnresponsive = true;
    client.socket.write('go');
    const rest = client.rest();
    const passed = () => client.receivedBytes - 14 + 2; // Without the replies of the handshake, with the upload.

    await until(() => passed() === 5 + defaultLimits.unacknowledgedBytesMin);
    child.kill('SIGKILL');
    await exited;
    await rest;
    await until(() => sentBytes > 0);
    expect(passed() - connection.usedBytes).toBe(defaultLimits.unacknowledgedBytesMin);
    // The origin could send more: the difference is in socket buffers.
    expect(sentBytes).toBeGreaterThan(passed());
    control.stop();
  });

  it('exits with code 1 if its final totals could not be delivered', async () => {
    const control = await new ControlPlane().start();
    const connection = control.sell();
    const port = await freePort();
    const { child, output, exited } = launch({
      GATEWAY_PORT: String(port),
      GATEWAY_CONTROL_URL: control.url,
      GATEWAY_TOKEN: control.token,
      GATEWAY_ALLOW_PRIVATE: 'true',
      GATEWAY_DRAIN_SECONDS: '0',
    });
    await until(() => output.stdout.includes('Gateway is ready'));
    const { port: echoPort } = await listenLocally((socket) => socket.pipe(socket));
    const { client } = await socks5Connect({ port }, connection, '127.0.0.1', echoPort);
    client.socket.write('ping');
    await client.take(4);
    control.isUnavailable = true;
    child.kill('SIGTERM');
    expect(await exited).toBe(1);
    expect(output.stdout).toContain('Final totals were not delivered');
    control.stop();
  });

  it.each([
    ['GATEWAY_PORT', 'GATEWAY_METRICS_PORT'],
    ['GATEWAY_METRICS_PORT', 'GATEWAY_PORT'],
  ])('prints one line if the port of %s is in use', async (taken, free) => {
    const { server, port } = await listenLocally(() => {});
    const { output, exited } = launch({
      [taken]: String(port),
      [free]: String(await freePort()),
      GATEWAY_CONTROL_URL: 'http://127.0.0.1:9',
      GATEWAY_TOKEN: 'token',
    });
    expect(await exited).toBe(1);
    expect(output.stderr).toBe(`The gateway cannot listen on 127.0.0.1:${port}: the port is in use.\n`);
    server.close();
  });

  it('prints the missing settings', async () => {
    const { output, exited } = launch({});
    expect(await exited).toBe(78);
    expect(output.stderr).toContain('GATEWAY_CONTROL_URL');
    expect(output.stderr).toContain('GATEWAY_TOKEN');
  });
});
