/**
 * Compares the gateway with other proxies on loopback: bulk data on 8 streams, and new tunnels per second. Rounds are
 * interleaved and only ratios within a round are believed; absolute figures depend on the machine and its neighbours.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ControlPlane } from '../../gateway/test/control-plane.ts';
import type { Step, StepResult } from './load.ts';

interface Peer {
  readonly name: string;
  readonly via: Step['via'];
  readonly port: number;
  readonly processId: number | undefined;
}

interface Sample {
  readonly bulk: number;
  readonly tunnels: number;
  /** Processor seconds of the proxy per gigabyte. */
  readonly secondsPerGigabyte: number;
}

const ROUNDS = 5;
const BULK_MS = 1_200;
const TUNNELS_MS = 1_000;
const DANTE = '/usr/sbin/danted';
const CLOCK_TICKS = 100;
const [PROXY_CORE, OTHER_CORE] = ['0', '1'];
const children: ChildProcess[] = [];
const directory = mkdtempSync(join(tmpdir(), 'cellhop-bench-'));

try {
  await main();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
process.exit(0);

async function main(): Promise<void> {
  const control = await new ControlPlane().start();
  // Everything is granted at once: measured is the proxy, not the round trip to a control plane on the same cores.
  const connection = control.sell({
    username: 'bench',
    password: 'a-password-for-the-bench',
    grantedBytes: Number.MAX_SAFE_INTEGER,
  });
  const { username, password } = connection;
  const origin = await startChild('origin.ts', OTHER_CORE);
  const load = launch('load.ts', OTHER_CORE);
  const ours = await startChild('gateway-peer.ts', PROXY_CORE, {
    CONTROL_URL: control.url,
    CONTROL_TOKEN: control.token,
  });
  const theirs = await startChild('proxy-chain-peer.ts', PROXY_CORE, {
    BENCH_USERNAME: username,
    BENCH_PASSWORD: password,
  });
  const peers: Peer[] = [
    { name: 'no proxy', via: 'direct', port: 0, processId: undefined },
    { name: 'gateway, CONNECT', via: 'connect', ...ours },
    { name: 'gateway, SOCKS5', via: 'socks5', ...ours },
    { name: 'proxy-chain, CONNECT', via: 'connect', ...theirs },
    ...(await startDante()),
  ];

  const samples = new Map<string, Sample[]>(peers.map(({ name }) => [name, []]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const peer of shuffled(peers)) {
      const step = { via: peer.via, proxyPort: peer.port, originPort: origin.port, username, password };
      const before = processorSeconds(peer.processId);
      const bulk = await runStep(load, { ...step, kind: 'bulk', milliseconds: BULK_MS });
      const seconds = processorSeconds(peer.processId) - before;
      const tunnels = await runStep(load, { ...step, kind: 'tunnels', milliseconds: TUNNELS_MS });
      const gigabytes = (bulk.perSecond * (BULK_MS + 350)) / 1e12;
      const errors = bulk.errors + tunnels.errors;
      if (errors > 0) throw new Error(`${peer.name}: ${errors} errors; the run is void`);
      samples.get(peer.name)?.push({
        bulk: bulk.perSecond,
        tunnels: tunnels.perSecond,
        secondsPerGigabyte: seconds / gigabytes,
      });
    }
    process.stdout.write(`round ${round} of ${ROUNDS} done\n`);
  }
  report(samples);
  control.stop();
}

function report(samples: Map<string, Sample[]>): void {
  console.log('\nMedians (absolute figures are this machine, now):');
  for (const [name, list] of samples) {
    const megabytes = median(list.map(({ bulk }) => bulk / 1e6)).toFixed(0);
    const tunnels = median(list.map((sample) => sample.tunnels)).toFixed(0);
    const seconds = median(list.map(({ secondsPerGigabyte }) => secondsPerGigabyte)).toFixed(2);
    const cost = name === 'no proxy' ? '' : `, ${seconds} CPU s/GB`;
    console.log(`  ${name.padEnd(28)} ${megabytes} MB/s bulk, ${tunnels} new tunnels/s${cost}`);
  }
  console.log('\nRatios within rounds, median (min..max):');
  const pairs = [
    ['gateway, CONNECT', 'proxy-chain, CONNECT'],
    ['gateway, SOCKS5', 'dante, SOCKS5'],
    ['gateway, CONNECT', 'no proxy'],
  ] as const;
  for (const [ours, theirs] of pairs) {
    if (!samples.has(theirs)) continue;
    const line = (['bulk', 'tunnels', 'secondsPerGigabyte'] as const)
      .filter((key) => key !== 'secondsPerGigabyte' || theirs !== 'no proxy')
      .map((key) => `${key} ${ratio(samples.get(ours) ?? [], samples.get(theirs) ?? [], key)}`);
    console.log(`  ${ours} / ${theirs}: ${line.join(', ')}`);
  }
}

function ratio(ours: Sample[], theirs: Sample[], key: keyof Sample): string {
  const ratios = ours.map((sample, round) => sample[key] / (theirs[round]?.[key] ?? Number.NaN));
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)})`;
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

async function runStep(load: ChildProcess, step: Step): Promise<StepResult> {
  load.send(step);
  const [result] = (await once(load, 'message')) as [StepResult];
  return result;
}

/** With two cores the proxy has one to itself, so that it is the bottleneck. */
function launch(file: string, core: string | undefined, environment: Record<string, string> = {}): ChildProcess {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env['PATH'], ...environment },
  });
  pin(child.pid, core);
  children.push(child);
  return child;
}

async function startChild(file: string, core: string | undefined, environment?: Record<string, string>) {
  const child = launch(file, core, environment);
  const [ready] = (await once(child, 'message')) as [{ port: number; relay?: string }];
  if (ready.relay) console.log(`Relay of the gateway: ${ready.relay}`);
  return { port: ready.port, processId: child.pid };
}

function pin(processId: number | undefined, core: string | undefined): void {
  if (availableParallelism() < 2 || processId === undefined || core === undefined) return;
  spawn('taskset', ['-a', '-c', '-p', core, String(processId)], { stdio: 'ignore' }).on('error', () => {
    console.log('taskset is not installed; nothing is pinned');
  });
}

/** Runs without a login: dante checks those against system accounts, which a bench must not create. */
async function startDante(): Promise<Peer[]> {
  if (!existsSync(DANTE)) {
    console.log('dante is not installed (Debian package dante-server); skipped');
    return [];
  }
  const port = await freePort();
  const configuration = join(directory, 'danted.conf');
  const lines = [
    `internal: 127.0.0.1 port = ${port}`,
    'external: lo',
    'socksmethod: none',
    'clientmethod: none',
    'client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }',
    'socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 protocol: tcp }',
  ];
  writeFileSync(configuration, `${lines.join('\n')}\n`);
  const child = spawn(DANTE, ['-f', configuration, '-p', join(directory, 'danted.pid')], { stdio: 'ignore' });
  children.push(child);
  pin(child.pid, PROXY_CORE);
  if (!(await isListening(port))) {
    console.log('dante did not start; skipped');
    return [];
  }
  console.log('dante runs without a login, which is in its favour');
  return [{ name: 'dante, SOCKS5', via: 'socks5-open', port, processId: child.pid }];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function isListening(port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((fulfil) => {
      socket.once('connect', () => fulfil(true)).once('error', () => fulfil(false));
    });
    socket.destroy();
    if (isOpen) return true;
    await new Promise((fulfil) => setTimeout(fulfil, 100));
  }
  return false;
}

/** Of a process and its descendants; proxies of C fork. */
function processorSeconds(processId: number | undefined): number {
  if (processId === undefined) return 0;
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat);
  const family = new Set([processId]);
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const each of processes) if (family.has(each.parentId)) family.add(each.id);
  }
  return processes.reduce((sum, each) => sum + (family.has(each.id) ? each.seconds : 0), 0);
}

function readStat(name: string): { id: number; parentId: number; seconds: number }[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]);
    return [{ id: Number(name), parentId: Number(fields[1]), seconds: ticks / CLOCK_TICKS }];
  } catch {
    return []; // It ended between the listing and the reading.
  }
}
