/** Starts and monitors the gateway of a fuzz run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { GatewaySettings } from '../../src/gateway.ts';
import type { Measurement } from './node-process.ts';

type Settings = Pick<GatewaySettings, 'controlUrl' | 'token'> &
  Partial<Pick<GatewaySettings, 'nameServers' | 'limits' | 'descriptors' | 'port' | 'udpPorts' | 'relay'>>;

/** @param failed called for each error that the gateway logs, and if it exits */
export async function startNode(settings: Settings, failed: (what: string) => void) {
  const program = fileURLToPath(new URL('node-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', program], {
    env: {
      PATH: process.env['PATH'],
      ACCELERATOR: process.env['ACCELERATOR'],
      GATEWAY_SETTINGS: JSON.stringify(settings),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let isStopping = false;
  for (const output of [child.stdout!, child.stderr!])
    output.on('data', (text: Buffer) => failed(`the gateway logged: ${text.toString().trim()}`));
  child.once('exit', (code, signal) => {
    if (!isStopping) failed(`the gateway exited: ${signal ?? code}`);
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    measure: async (): Promise<Measurement> => {
      child.send('measure');
      const [measurement] = (await once(child, 'message')) as [Measurement];
      return measurement;
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
