/** Runs one step of `stream-load.c` through a program, and measures the program meanwhile. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PASSWORD } from './credentials.ts';
import { freePort } from '../../tools/ports.mjs';
import { cpuSeconds, launchProgram, machineSeconds, memoryKilobytes, OTHER_CORE } from './processes.ts';
import type { Program } from './programs.ts';
import { MEMORY_LOADS, type Row } from './rows.ts';

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

interface RunningLoad {
  readonly exited: Promise<unknown>;
  result(): Promise<LoadResult>;
  stop(): void;
}

/** So that a program is quiet before its memory is read, and before the next one is measured. */
const SETTLE_MS = 300;
const BYTES_PER_MEGABYTE = 1e6;
/** Longer than all loads of a program take; each is stopped. */
const STAYING_MS = 600_000;
const NOT_MEASURED = { perSecond: 0, cpu: 0, p50Micros: 0, p99Micros: 0, loadShare: 0 };

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
  const running = await startLoad(load, row, program, { originPort, namePort, milliseconds });
  const [before, machineBefore] = [cpuSeconds(processId), otherSeconds()];
  const startedAt = performance.now();
  const result = await running.result();
  const cpu = cpuSeconds(processId) - before;
  await running.exited;
  const foreignShare = (otherSeconds() - machineBefore) / ((performance.now() - startedAt) / 1000);
  await setTimeout(SETTLE_MS);
  const { seconds, bytes, count, errors, opened } = result;
  const megabytes = bytes / BYTES_PER_MEGABYTE;
  return {
    perSecond: (row.unit === 'MB' ? megabytes : count) / seconds,
    cpu: row.unit === 'MB' ? (cpu / megabytes) * 1000 : (cpu / count) * 1e6,
    p50Micros: result.p50 * 1e6,
    p99Micros: result.p99 * 1e6,
    kilobytes: 0,
    loadShare: result.cpuSeconds / seconds,
    foreignShare,
    errors: Math.max(errors, row.clients - opened),
  };
}

/**
 * Loads that stay, one after the other, and by how much the program has grown with each. The first one has the usual ports, to which
 * forwarders connect; other programs are sent to those of each load.
 */
export async function runMemorySteps(
  load: string,
  row: Row,
  program: Program,
  ports: Omit<StepSettings, 'milliseconds'>,
): Promise<Sample[]> {
  const { processId } = program;
  const grown: { kilobytes: number; foreignShare: number; running: RunningLoad }[] = [];
  let memory = memoryKilobytes(processId);
  for (let index = 0; index < MEMORY_LOADS; index += 1) {
    const [machineBefore, startedAt] = [otherSeconds(), performance.now()];
    const own = index === 0 ? ports : { originPort: await freePort(), namePort: await freePort() };
    const running = await startLoad(load, row, program, { ...own, milliseconds: STAYING_MS });
    await setTimeout(SETTLE_MS);
    const now = memoryKilobytes(processId);
    const foreignShare = (otherSeconds() - machineBefore) / ((performance.now() - startedAt) / 1000);
    grown.push({ kilobytes: now - memory, foreignShare, running });
    memory = now;
  }
  const samples: Sample[] = [];
  // The last one first: forwarders have led all clients to the origin of the first one.
  for (const { kilobytes, foreignShare, running } of grown.toReversed()) {
    running.stop();
    const { errors, opened } = await running.result();
    await running.exited;
    const allErrors = Math.max(errors, row.clients - opened);
    samples.unshift({ ...NOT_MEASURED, kilobytes: kilobytes / opened, foreignShare, errors: allErrors });
  }
  return samples;
}

/** @returns when its clients are connected */
async function startLoad(
  load: string,
  { title, kind, clients, bytesPerSecond = 0 }: Row,
  { name, via, port, username }: Program,
  { originPort, namePort, milliseconds }: StepSettings,
): Promise<RunningLoad> {
  const ports = [port, originPort, namePort].map(String);
  const numbers = [clients, milliseconds, bytesPerSecond].map(String);
  const child = launchProgram(OTHER_CORE, load, kind, via, ...ports, username, PASSWORD, ...numbers);
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  const exited = once(child, 'exit');
  await lines.next();
  const result = async () => {
    const { value } = await lines.next();
    if (typeof value !== 'string') throw new Error(`The load ended without a result: ${title}, ${name}`);
    return JSON.parse(value) as LoadResult;
  };
  return { result, exited, stop: () => void child.kill('SIGTERM') };
}

/** The CPU time of what does not belong to the benchmark; of the load only while it runs, or when it has ended. */
const otherSeconds = () => machineSeconds() - cpuSeconds(process.pid);
