/** Runs one step of `stream-load.c` through a program, and measures the program meanwhile. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PASSWORD } from './credentials.ts';
import { cpuSeconds, launchProgram, machineSeconds, memoryKilobytes, OTHER_CORE } from './processes.ts';
import type { Program } from './programs.ts';
import type { Row } from './rows.ts';

export interface Sample {
  /** Of the row's unit, per second: megabytes, tunnels, requests or messages. */
  readonly perSecond: number;
  /** CPU time of the program: seconds per gigabyte, or microseconds for one of the others. */
  readonly cpu: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  /** Of one tunnel, where memory is measured. */
  readonly kilobytes: number;
  /** What load and origin used of their core. */
  readonly loadShare: number;
  /** What processes outside the benchmark used of one core. */
  readonly foreignShare: number;
  readonly errors: number;
}

interface StepSettings {
  readonly originPort: number;
  /** Of the name server in the load. */
  readonly namePort: number;
  readonly milliseconds: number;
}

interface LoadResult {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly bytes: number;
  readonly count: number;
  readonly errors: number;
  readonly opened: number;
  readonly p50: number;
  readonly p99: number;
}

/** So that a program is quiet before its memory is read, and before the next one is measured. */
const SETTLE_MS = 300;
const BYTES_PER_MEGABYTE = 1e6;

export function compileLoad(directory: string): string {
  const program = join(directory, 'stream-load');
  const source = fileURLToPath(new URL('stream-load.c', import.meta.url));
  execFileSync('cc', ['-O2', '-o', program, source], { stdio: 'inherit' });
  return program;
}

export async function runStep(
  load: string,
  row: Row,
  program: Program,
  { originPort, namePort, milliseconds }: StepSettings,
): Promise<Sample> {
  const { processId } = program;
  const isMemory = row.unit === 'memory';
  const memoryBefore = isMemory ? memoryKilobytes(processId) : 0;
  const stepMs = isMemory ? 3 * SETTLE_MS : milliseconds;
  const numbers = [row.clients, stepMs, row.bytesPerSecond ?? 0].map(String);
  const ports = [program.port, originPort, namePort].map(String);
  const child = launchProgram(
    OTHER_CORE,
    load,
    row.kind,
    program.via,
    ...ports,
    program.username,
    PASSWORD,
    ...numbers,
  );
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  const exited = once(child, 'exit');
  await lines.next();
  const [before, machineBefore] = [cpuSeconds(processId), otherSeconds()];
  const startedAt = performance.now();
  if (isMemory) await setTimeout(2 * SETTLE_MS);
  const memory = isMemory ? memoryKilobytes(processId) - memoryBefore : 0;
  const { value } = await lines.next();
  const cpu = cpuSeconds(processId) - before;
  await exited;
  const foreignShare = (otherSeconds() - machineBefore) / ((performance.now() - startedAt) / 1000);
  await setTimeout(SETTLE_MS);
  if (typeof value !== 'string') throw new Error(`The load ended without a result: ${row.title}, ${program.name}`);
  const result = JSON.parse(value) as LoadResult;
  const { seconds, bytes, count, errors, opened } = result;
  const megabytes = bytes / BYTES_PER_MEGABYTE;
  return {
    perSecond: (row.unit === 'MB' ? megabytes : count) / seconds,
    cpu: row.unit === 'MB' ? (cpu / megabytes) * 1000 : (cpu / count) * 1e6,
    p50Micros: result.p50 * 1e6,
    p99Micros: result.p99 * 1e6,
    kilobytes: memory / opened,
    loadShare: result.cpuSeconds / seconds,
    foreignShare,
    errors: Math.max(errors, row.clients - opened),
  };
}

/** The CPU time of what does not belong to the benchmark; of the load only while it runs, or when it has ended. */
const otherSeconds = () => machineSeconds() - cpuSeconds(process.pid);
