/**
 * The archive for the other processor on an emulated one: the gateway of arm64 on x64, and the reverse. Needs the cross compiler and the
 * libraries of that processor, and QEMU.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import { writeArchive } from '../../../tools/release/archive.mjs';
import { buildForRelease } from '../../native/release.mjs';
import { openAccelerator } from '../../src/pipe/open-accelerator.ts';
import { ControlPlane } from '../control-plane.ts';
import { socks5Connect } from '../gateway-harness.ts';
import { listenLocally, patternedBytes } from '../sockets.ts';

const own = process.arch === 'arm64' ? 'arm64' : 'x64';
const other = own === 'arm64' ? 'x64' : 'arm64';
const [QEMU = '', LIBRARY = '', COMPILER = ''] = ['QEMU', 'OTHER_LIBRARIES', 'OTHER_COMPILER'].map(
  (name) => process.env[name],
);
const source = {
  directory: fileURLToPath(new URL('../../..', import.meta.url)),
  version: '9.8.7',
  commit: 'ab'.repeat(20),
  time: new Date('2026-01-02T03:04:05Z'),
};
const PAID_BYTES = 5_000_123;
/** Emulated, a start takes several seconds. */
const POLL = { timeout: 120_000 };
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

let [folder, release, native] = ['', '', ''];
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'processors-'));
  const [archive = ''] = await writeArchive(source, other, folder, COMPILER);
  execFileSync('tar', ['--extract', '--file', archive], { cwd: folder });
  release = path.join(folder, archive.replace('.tar.gz', ''));
  native = path.join(release, 'gateway/dist/accelerator.node');
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** The gateway of the archive, emulated. */
async function start() {
  const control = await new ControlPlane().start();
  const [port, metricsPort] = [await freePort(), await freePort()];
  const program = path.join(release, 'runtime/bin/node');
  const child: ChildProcess = spawn(
    QEMU,
    ['-L', path.join(LIBRARY, '../..'), program, path.join(release, 'gateway/dist/main.js')],
    {
      env: {
        GATEWAY_HOST: '127.0.0.1',
        GATEWAY_PORT: String(port),
        GATEWAY_METRICS_PORT: String(metricsPort),
        GATEWAY_CONTROL_URL: control.url,
        GATEWAY_TOKEN: control.token,
        GATEWAY_NAME_SERVERS: '192.0.2.1',
        GATEWAY_ALLOW_PRIVATE: 'true',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
    control.stop();
  });
  let log = '';
  child.stdout!.on('data', (chunk) => (log += String(chunk)));
  const metrics = async () =>
    (await fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined))?.text() ?? '';
  return { control, port, log: () => log, metrics };
}

/** Through a tunnel, until the last paid byte. */
async function spend({ control, port, metrics }: Awaited<ReturnType<typeof start>>, accelerated: number) {
  const block = patternedBytes(65_536);
  const origin = await listenLocally((socket) => {
    const fill = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', fill).once('data', fill).resume();
  });
  onTestFinished(() => void origin.server.close());
  const connection = control.sell({ allowedBytes: PAID_BYTES, grantStepBytes: 1_000_000 });
  const { client } = await socks5Connect({ port }, connection, '127.0.0.1', origin.port);
  await expect.poll(metrics, POLL).toContain(`\ngateway_accelerated_tunnels ${accelerated}\n`);
  client.socket.write('x');
  const { bytes, end } = await client.rest();
  expect([bytes.length, end]).toEqual([PAID_BYTES - 1, 'reset']);
  await expect.poll(() => connection.endedAtBytes, POLL).toBe(PAID_BYTES);
}

test(`native code of the archive for ${other} works there, and counts`, async () => {
  const gateway = await start();
  await expect.poll(gateway.metrics, POLL).toContain('gateway_relay_info{relay="splice"} 1');
  await spend(gateway, 1);
  expect(gateway.log()).not.toContain('accelerator');
});

test(`a file for ${own} in the archive for ${other} is refused in one sentence, and tunnels work`, async () => {
  const problem = buildForRelease({
    processor: own,
    target: native,
    headers: path.join(path.dirname(process.execPath), '../include/node'),
  });
  expect(problem).toEqual({ compiler: expect.any(String) });
  const gateway = await start();
  await expect.poll(gateway.metrics, POLL).toContain('gateway_relay_info{relay="pump"} 1');
  expect(gateway.log()).toContain(
    `The accelerator does not work here (the file is for ${own}, and this is ${other}); tunnels use TypeScript`,
  );
  await spend(gateway, 0);
});

test(`a file for ${other} is refused in one sentence by this ${own}`, async () => {
  const file = path.join(folder, 'accelerator.node');
  const headers = path.join(path.dirname(process.execPath), '../include/node');
  buildForRelease({ processor: other, target: file, headers, compiler: COMPILER });
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  expect(await openAccelerator(file, 4, log)).toBeUndefined();
  expect(lines).toEqual([
    `The accelerator does not work here (the file is for ${other}, and this is ${own}); tunnels use TypeScript`,
  ]);
});
