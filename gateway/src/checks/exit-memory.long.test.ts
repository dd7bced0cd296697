import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
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

test(
  'a gateway keeps nothing of the checks of its exits, whether they succeed or fail',
  { tags: ['long'] },
  async () => {
    const [control, echo, upstream] = [
      await new ControlPlane().start(),
      await startShopEcho(),
      await startSocks5Upstream(),
    ];
    const helloResponse = { contractVersion: 2, oldestContractVersion: 1, publicUrl: 'http://shop.test' };
    control.helloResponse = { ...helloResponse, echoUrls: [echo.url] };
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
    const usedBytes: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const list of [control.exitChecks, echo.seen, upstream.seen.targets]) list.length = 0;
      control.dueExits.push(...exits);
      await until(() => control.exitChecks.length >= EXITS);
      // On a busy machine some run out of time.
      expect(control.exitChecks.some(({ outcome }) => outcome === 'ok')).toBe(true);
      // Its last sockets are closed, and its exits, which nothing uses now, too.
      await until(() => upstream.sockets.size === 0);
      await new Promise((fulfil) => setTimeout(fulfil, 2_000));
      node.kill('SIGUSR2');
      for (;;) {
        const [line] = (await once(lines, 'line')) as [string];
        const { usedBytes: used } = JSON.parse(line) as { usedBytes?: number };
        if (used === undefined) continue;
        usedBytes.push(used);
        break;
      }
    }
    expect(usedBytes.at(-1)! - usedBytes[1]!).toBeLessThan(GROWTH_BYTES_MAX);
  },
);
