/** @module-tag thorough */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { ControlPlane } from '../test/control-plane.ts';
import { socks5Connect } from '../test/gateway-harness.ts';
import { programArguments } from '../../tools/built-program.ts';
import { freePort } from '../../tools/ports.mjs';
import { connectLocally, listenLocally } from '../test/sockets.ts';

/** Every write to this device fails with ENOSPC. */
const FULL_DISK = '/dev/full';
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** @returns also when the process ends */
async function untilListening(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null) {
    const socket = await connectLocally(port).catch(() => undefined);
    if (socket) return void socket.destroy();
    await new Promise((fulfil) => setTimeout(fulfil, 50));
  }
}

it.skipIf(!existsSync(FULL_DISK))('a full disk for the log stops neither tunnels nor the shutdown', async () => {
  const control = await new ControlPlane().start();
  const gatewayPort = await freePort();
  const log = openSync(FULL_DISK, 'w');
  const child = spawn(process.execPath, programArguments('gateway', 'main'), {
    env: {
      PATH: process.env['PATH'],
      GATEWAY_PORT: String(gatewayPort),
      GATEWAY_CONTROL_URL: control.url,
      GATEWAY_TOKEN: control.token,
      GATEWAY_ALLOW_PRIVATE: 'true',
      GATEWAY_DRAIN_SECONDS: '0',
    },
    stdio: ['ignore', log, 'inherit'],
  });
  closeSync(log);
  stops.push(
    () => child.kill('SIGKILL'),
    () => control.stop(),
  );
  const exited = once(child, 'exit');
  await untilListening(child, gatewayPort);
  const { port } = await listenLocally((socket) => socket.pipe(socket));
  const [known, wrong] = [control.sell(), { ...control.sell(), password: 'wrong' }];
  for (let count = 0; count < 5; count += 1)
    await socks5Connect({ port: gatewayPort }, wrong, '127.0.0.1', port).catch(() => undefined); // Each attempt logs a line.
  const { client, reply } = await socks5Connect({ port: gatewayPort }, known, '127.0.0.1', port);
  expect(reply).toBe(0);
  client.socket.write('still');
  expect((await client.take(5)).toString()).toBe('still');
  child.kill('SIGTERM');
  expect((await exited)[0]).toBe(0);
  expect(known.endedAtBytes).toBe(10);
});
