/** A gateway process with few file descriptors, and its measurements. */
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ControlPlane } from '../gateway/test/control-plane.ts';
import { freePort } from '../tools/ports.mjs';

const PROGRAM = fileURLToPath(new URL('../gateway/test/gateway-process.ts', import.meta.url));

export interface GatewayUnderTest {
  readonly port: number;
  readonly pid: number;
  /** Memory in use after a garbage collection; undefined if the process has exited. */
  usedMegabytes(): Promise<number | undefined>;
  /** Undefined while the process runs. */
  exitReason(): string | undefined;
  /** The lines of these metrics; none if the process has exited. */
  metrics(...names: string[]): Promise<string[]>;
  stop(): void;
}

/** @throws Error if the process exits before it listens */
export async function startGatewayUnderTest(control: ControlPlane, descriptors: number): Promise<GatewayUnderTest> {
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
      env: {
        PATH: process.env['PATH'],
        ACCELERATOR: process.env['ACCELERATOR'],
        GATEWAY_SETTINGS: JSON.stringify({ controlUrl, token, metricsPort }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const state: { port: number; exitReason: string | undefined } = { port: 0, exitReason: undefined };
  const used = new EventEmitter<{ measured: [number | undefined] }>();
  child.once('exit', (code, signal) => {
    state.exitReason = signal === null ? `with code ${code}` : `by ${signal}`;
    used.emit('measured', undefined);
  });
  child.stdout.on('data', (chunk: Buffer) => {
    const text = chunk.toString();
    state.port ||= Number(/"port":(\d+),"relay"/.exec(text)?.[1] ?? 0);
    const usedBytes = /^{"usedBytes":(\d+)}$/m.exec(text)?.[1];
    if (usedBytes !== undefined) used.emit('measured', Math.round(Number(usedBytes) / BYTES_PER_MEGABYTE));
    // Only warnings and errors: refused logins and clients log a line each.
    for (const line of text.split('\n')) if (/"level":[4-6]0/.test(line)) console.log(`  ${line}`);
  });
  while (state.port === 0 && state.exitReason === undefined) await pause(20);
  if (state.exitReason !== undefined) throw new Error(`The gateway exited ${state.exitReason} before it listened`);
  return {
    port: state.port,
    pid: child.pid!,
    exitReason: () => state.exitReason,
    usedMegabytes: async () => {
      if (state.exitReason !== undefined) return undefined;
      const measured = once(used, 'measured');
      child.kill('SIGUSR2');
      const [megabytes] = (await measured) as [number | undefined];
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
