/** Starts and watches the gateway of a fuzz run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { GatewaySettings } from '../../src/gateway.ts';
import type { Measured } from './node-process.ts';

type Settings = Pick<GatewaySettings, 'controlUrl' | 'token' | 'nameServers' | 'limits' | 'descriptors' | 'port'>;

/** @param failed is told of every error that the gateway logs, and of its death */
export async function startNode(settings: Settings, failed: (what: string) => void) {
  const program = fileURLToPath(new URL('node-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', program], {
    env: { PATH: process.env['PATH'], GATEWAY_SETTINGS: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let isStopping = false;
  for (const output of [child.stdout!, child.stderr!])
    output.on('data', (text: Buffer) => failed(`the gateway says: ${text.toString().trim()}`));
  child.once('exit', (code, signal) => {
    if (!isStopping) failed(`the gateway has ended: ${signal ?? code}`);
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    measure: async (): Promise<Measured> => {
      child.send('measure');
      const [measured] = (await once(child, 'message')) as [Measured];
      return measured;
    },
    stop: async () => {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
