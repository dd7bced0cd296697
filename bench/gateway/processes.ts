/** The processes of the benchmark: built like the product, pinned to a core, and killed at the end. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** The proxy runs alone on one core, so that it is the bottleneck. */
export const [PROXY_CORE, OTHER_CORE] = ['0', '1'];
const CLOCK_TICKS = 100;
const sources = fileURLToPath(new URL('.', import.meta.url));
/** Inside the repository, so that packages resolve; below `node_modules`, so that no check includes it. */
const built = join(sources, '../../node_modules/.cache/bench-gateway');
/** The gateway has the flags of V8 that `bin/cellhop`, which alone names them, gives the product. */
const [startLine = ''] = /^exec .+$/m.exec(readFileSync(join(sources, '../../bin/cellhop'), 'utf8')) ?? [];
const flagsOfV8 = startLine.match(/--[-a-z]+(?:=\d+)?/g) ?? [];
const children: ChildProcess[] = [];

/**
 * Bundles like `npm run build` of the gateway. A loader that compiles at run time would wrap every function, which costs the
 * gateway with its many small closures a tenth of its speed, but a published package nothing.
 */
export function build(...names: string[]): void {
  buildSync({
    entryPoints: names.map((name) => join(sources, `${name}.ts`)),
    outdir: built,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    packages: 'external',
    alias: { '@cellhop/contract': fileURLToPath(new URL('../../contract/src', import.meta.url)) },
  });
}

export function launch(name: string, core: string, environment: Record<string, string> = {}): ChildProcess {
  const env = { PATH: process.env['PATH'], ...environment };
  return pinToCore(fork(join(built, `${name}.mjs`), { execArgv: name === 'gateway-peer' ? flagsOfV8 : [], env }), core);
}

/** Starts a process and waits for its first message. */
export async function start<Ready>(name: string, core: string, environment?: Record<string, string>) {
  const child = launch(name, core, environment);
  return { child, processId: child.pid, ready: await request<Ready>(child) };
}

export async function request<Response>(child: ChildProcess, message?: object): Promise<Response> {
  if (message) child.send(message);
  const [response] = (await once(child, 'message')) as [Response];
  return response;
}

export function pinToCore(child: ChildProcess, core: string): ChildProcess {
  children.push(child);
  if (availableParallelism() < 2 || child.pid === undefined) return child;
  spawn('taskset', ['-a', '-c', '-p', core, String(child.pid)], { stdio: 'ignore' }).on('error', () => {
    console.log('taskset is not installed; nothing is pinned');
  });
  return child;
}

/** With its descendants. */
export function killProgram(processId: number | undefined): void {
  for (const { id } of family(processId)) process.kill(id, 'SIGKILL');
}

export function killAll(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** Starts a program on a core, so that it counts the cores that it may use. Without its messages: some log each client. */
export function launchProgram(core: string, file: string, ...options: readonly string[]): ChildProcess {
  const child = spawn('taskset', ['-c', core, file, ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  return child;
}

export async function isListening(port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((fulfil) => {
      socket.once('connect', () => fulfil(true)).once('error', () => fulfil(false));
    });
    socket.destroy();
    if (isOpen) return true;
    await setTimeout(100);
  }
  return false;
}

/** The CPU time of a process and its descendants, because proxies in C fork. */
export function cpuSeconds(processId: number | undefined): number {
  return family(processId).reduce(
    (sum, { id, ownSeconds, endedSeconds }) => sum + Math.max(ownSeconds, threadSeconds(id)) + endedSeconds,
    0,
  );
}

/** Exact, of the threads that have not ended: the other clock has ticks of 10 ms, a third of what a short step of mobile flows takes. */
function threadSeconds(processId: number): number {
  try {
    const threads = readdirSync(`/proc/${processId}/task`);
    const clocks = threads.map((id) => readFileSync(`/proc/${processId}/task/${id}/schedstat`, 'latin1'));
    return clocks.reduce((sum, clock) => sum + Number(clock.split(' ', 1)[0]) / 1e9, 0);
  } catch {
    return 0; // It, or one of its threads, ended meanwhile; or the system has no such clock.
  }
}

/** The memory of a process and its descendants, shared pages divided among those that share them (PSS). */
export function memoryKilobytes(processId: number | undefined): number {
  return family(processId).reduce((sum, { id }) => {
    const [, kilobytes] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'latin1')) ?? [];
    return sum + Number(kilobytes);
  }, 0);
}

/** The CPU time of this machine, including what others took from it. */
export function machineSeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readFileSync('/proc/stat', 'latin1')
    .split('\n', 1)[0]!
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / CLOCK_TICKS;
}

interface Process {
  readonly id: number;
  readonly parentId: number;
  readonly ownSeconds: number;
  /** Of children that have ended. */
  readonly endedSeconds: number;
}

function family(processId: number | undefined): Process[] {
  if (processId === undefined) return [];
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat);
  const ids = new Set([processId]);
  for (let size = 0; size < ids.size;) {
    size = ids.size;
    for (const each of processes) if (ids.has(each.parentId)) ids.add(each.id);
  }
  return processes.filter(({ id }) => ids.has(id));
}

function readStat(name: string): Process[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [parentId = 0, own = 0, ownInKernel = 0, ended = 0, endedInKernel = 0] = [1, 11, 12, 13, 14].map((at) =>
      Number(fields[at]),
    );
    const ownSeconds = (own + ownInKernel) / CLOCK_TICKS;
    return [{ id: Number(name), parentId, ownSeconds, endedSeconds: (ended + endedInKernel) / CLOCK_TICKS }];
  } catch {
    return []; // It exited between listing and reading.
  }
}
