import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import { ControlPlane } from '../../test/control-plane.ts';
import { startShopEcho } from '../../test/shop-echo.ts';
import { until } from '../../test/sockets.ts';
import { startSocks5Upstream } from '../../test/upstream.ts';

const program = fileURLToPath(new URL('../../test/gateway-process.ts', import.meta.url));
const EXITS = 1_000;
const ROUNDS = 5;
/** Some hundred bytes for each check. */
const GROWTH_BYTES_MAX = 400_000;
const SETTLED_BYTES = 50_000;

test(
  'a gateway keeps nothing of the checks of its exits, whether they succeed or fail',
  { tags: ['long'] },
  async () => {
    const [control, echo, upstream] = [
      await new ControlPlane().start(),
      await startShopEcho(),
      await startSocks5Upstream(),
    ];
    Object.assign(control.helloResponse, { publicUrl: 'http://shop.test', echoUrls: [echo.url] });
    const settings = {
      controlUrl: control.url,
      token: control.token,
      limits: { exitChecksPollMs: 10, exitChecksBusyPollMs: 5 },
    };
    const node = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', program], {
      env: { ...process.env, GATEWAY_SETTINGS: JSON.stringify(settings) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      node.kill('SIGKILL');
      for (const each of [control, echo, upstream]) each.stop();
    });
    const lines = createInterface({ input: node.stdout });
    const closedPort = await freePort();
    const exits = Array.from({ length: EXITS }, (_, index) => ({
      kind: 'socks5',
      id: randomUUID(),
      host: '127.0.0.1',
      port: index % 4 === 0 ? closedPort : upstream.port,
    }));
    const readUsedBytes = async (): Promise<number> => {
      node.kill('SIGUSR2');
      for (;;) {
        const [line] = (await once(lines, 'line')) as [string];
        const { usedBytes } = JSON.parse(line) as { usedBytes?: number };
        if (usedBytes !== undefined) return usedBytes;
      }
    };
    /** Sockets that are closed and exits that nothing uses go after a while, which a busy machine prolongs. */
    const readSettledBytes = async () => {
      let least = Infinity;
      for (;;) {
        const used = await readUsedBytes();
        if (used > least - SETTLED_BYTES) return Math.min(used, least);
        least = used;
        await pause(1000);
      }
    };
    let usedBefore = Number.NaN;
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const list of [control.exitChecks, echo.seen, upstream.seen.targets]) list.length = 0;
      control.dueExits.push(...exits);
      await until(() => control.exitChecks.length >= EXITS);
      // On a busy machine some run out of time.
      expect(control.exitChecks.some(({ outcome }) => outcome === 'ok')).toBe(true);
      await until(() => upstream.sockets.size === 0);
      if (round === 2) usedBefore = await readSettledBytes();
    }
    await expect.poll(readUsedBytes, { interval: 1000 }).toBeLessThan(usedBefore + GROWTH_BYTES_MAX);
  },
);
