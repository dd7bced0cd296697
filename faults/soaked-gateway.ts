/** A gateway process with few file descriptors, and what is seen of it from outside. */
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ControlPlane } from '../gateway/test/control-plane.ts';
import { freePort } from '../tools/ports.mjs';

const PROGRAM = fileURLToPath(new URL('../gateway/test/gateway-process.ts', import.meta.url));

export interface SoakedGateway {
  readonly port: number;
  readonly pid: number;
  /** Memory in use after a collection of garbage; undefined if the process has ended. */
  usedMegabytes(): Promise<number | undefined>;
  /** Undefined while it runs. */
  ending(): string | undefined;
  /** The lines of these metrics; none if the process has ended. */
  metrics(...names: string[]): Promise<string[]>;
  stop(): void;
}

/** @throws Error when it ends before it listens */
export async function startSoakedGateway(control: ControlPlane, descriptors: number): Promise<SoakedGateway> {
  const metricsPort = await freePort();
  const { url: controlUrl, token } = control;
  const child = spawn(
    'sh',
    [
      '-c',
      'ulimit -n "$0" && exec "$@"',
      String(descriptors),
      process.execPath,
      '--expose-gc',
      '--import',
      'tsx',
      PROGRAM,
    ],
    {
      env: { PATH: process.env['PATH'], GATEWAY_SETTINGS: JSON.stringify({ controlUrl, token, metricsPort }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const state: { port: number; ending: string | undefined } = { port: 0, ending: undefined };
  const used = new EventEmitter<{ told: [number | undefined] }>();
  child.once('exit', (code, signal) => {
    state.ending = signal === null ? `with code ${code}` : `by ${signal}`;
    used.emit('told', undefined);
  });
  child.stdout.on('data', (chunk: Buffer) => {
    const text = chunk.toString();
    state.port ||= Number(/"port":(\d+),"relay"/.exec(text)?.[1] ?? 0);
    const usedBytes = /^{"usedBytes":(\d+)}$/m.exec(text)?.[1];
    if (usedBytes !== undefined) used.emit('told', Math.round(Number(usedBytes) / BYTES_PER_MEGABYTE));
    // Logins and clients that are refused are one line each.
    for (const line of text.split('\n')) if (/"level":[4-6]0/.test(line)) console.log(`  ${line}`);
  });
  while (state.port === 0 && state.ending === undefined) await pause(20);
  if (state.ending !== undefined) throw new Error(`The gateway ended ${state.ending} before it listened`);
  return {
    port: state.port,
    pid: child.pid!,
    ending: () => state.ending,
    usedMegabytes: async () => {
      if (state.ending !== undefined) return undefined;
      const told = once(used, 'told');
      child.kill('SIGUSR2');
      const [megabytes] = (await told) as [number | undefined];
      return megabytes;
    },
    metrics: async (...names) => {
      const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined);
      const lines = ((await response?.text()) ?? '').split('\n');
      return lines.filter((line) => names.some((name) => line.startsWith(name)));
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
