/**
 * Compares the gateway with other proxies on loopback. The program under test has one core; the load, in C, and the control plane, in a
 * separate process as in production, share the other. Rounds are interleaved, in random order; only ratios within a round are valid, and
 * of fast programs only those of CPU time.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tools/ports.mjs';
import { createRandom } from '../../tools/random.ts';
import { build, killAll, killProgram, OTHER_CORE, start } from './processes.ts';
import { type Program, startFreshPrograms, startGatewayProgram, startPeers } from './programs.ts';
import { type Measurement, report } from './report.ts';
import { type MemoryRow, memoryRows, type Row, rows } from './rows.ts';
import { compileLoad, runMemorySteps, runStep } from './stream-load.ts';

const USAGE =
  'npm run bench:gateway -- [short] [rounds=5] [milliseconds=1000] [seed=7] [rows=tunnels] [programs=gateway]';
const IN_NAMESPACE = 'BENCH_IN_NAMESPACE';
const options = readArguments(process.argv.slice(2));

if (process.getuid?.() === 0 && process.env[IN_NAMESPACE] === undefined) process.exit(runInNamespace());
const directory = mkdtempSync(join(tmpdir(), 'cellhop-bench-'));
try {
  setNetwork();
  await main();
} finally {
  killAll();
  rmSync(directory, { recursive: true, force: true });
}
process.exit(0);

async function main(): Promise<void> {
  const load = compileLoad(directory);
  build('control-peer', 'gateway-peer', 'proxy-chain-peer');
  const [originPort, namePort] = [await freePort(), await freePort()];
  const { ready: control } = await start<{ url: string; token: string }>('control-peer', OTHER_CORE, {
    UPSTREAM_PORT: String(originPort),
  });
  const isWanted = ({ title }: Row) => title.includes(options.rows);
  const [inRounds, ofMemory] = [rows.filter(isWanted), memoryRows(options).filter(isWanted)];
  const environment = { ...control, namePort };
  const measurements: Measurement[] = [];
  for (const row of ofMemory) {
    const programs = await startFreshPrograms(environment, originPort, directory);
    for (const program of programs.filter((each) => takesPart(each, row)))
      measurements.push(...(await measureMemory(load, row, program, { originPort, namePort })));
    for (const { processId } of programs) killProgram(processId);
  }
  const gateway = await startGatewayProgram(environment);
  const programs = [...gateway.programs, ...(await startPeers(originPort, directory))];
  const steps = inRounds.flatMap((row) =>
    programs.filter((program) => takesPart(program, row)).map((program) => ({ row, program })),
  );
  const random = createRandom(options.seed);
  console.log(`Seed ${options.seed}; ${options.rounds} rounds of ${steps.length} steps`);
  for (let round = 0; round <= options.rounds && steps.length > 0; round += 1) {
    for (const { row, program } of shuffled(steps, random)) {
      const { milliseconds } = options;
      const sample = await runStep(load, row, program, { originPort, namePort, milliseconds });
      if (sample.errors > 0) console.log(`${row.title}, ${program.name}: ${sample.errors} errors`);
      // V8 compiles in stages, so the first round is a warm-up.
      if (round > 0) measurements.push({ row, program, round, sample });
    }
    console.log(round === 0 ? 'warmed up' : `round ${round} of ${options.rounds} done`);
  }
  const { count, seconds } = await gateway.grantWaits();
  report(measurements, [...inRounds, ...ofMemory.flatMap((row) => [row, row.further])], programs);
  console.log(`Tunnels of the gateway waited ${count} times for a grant, ${seconds.toFixed(2)} s together.`);
}

/** The first load is a row of its own; of the others each is a round. */
async function measureMemory(
  load: string,
  row: MemoryRow,
  program: Program,
  ports: Parameters<typeof runMemorySteps>[3],
): Promise<Measurement[]> {
  const samples = await runMemorySteps(load, row, program, ports);
  const errors = samples.reduce((sum, sample) => sum + sample.errors, 0);
  if (errors > 0) console.log(`${row.title}, ${program.name}: ${errors} errors`);
  return samples.map((sample, round) => ({ row: round === 0 ? row : row.further, program, round, sample }));
}

/** Requests in absolute form are for HTTP proxies; only the gateway asks the name server of the load; no proxy has no memory. */
function takesPart(program: Program, { kind, title, unit }: Row): boolean {
  if (!program.name.includes(options.programs)) return false;
  if (program.rows) return program.rows.includes(title);
  if (kind === 'named-tunnels') return program.name.startsWith('gateway');
  if (kind === 'requests' || kind === 'kept-requests') return program.via === 'connect' || program.name === 'no proxy';
  return unit !== 'memory' || program.processId !== undefined;
}

/** A network of its own, so that nothing else uses its ports and its settings can be changed. */
function runInNamespace(): number {
  const command = 'ip link set lo up && exec "$0" "$@"';
  const { status } = spawnSync(
    'unshare',
    ['--net', 'sh', '-c', command, process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    { stdio: 'inherit', env: { ...process.env, [IN_NAMESPACE]: '1' } },
  );
  return status ?? 1;
}

function setNetwork(): void {
  if (process.env[IN_NAMESPACE] === undefined) {
    console.log('Not root: the network settings of this machine apply');
    return;
  }
  // BBR, which some systems use, would pace even on loopback.
  writeFileSync('/proc/sys/net/ipv4/tcp_congestion_control', 'reno');
  writeFileSync('/proc/sys/net/ipv4/ip_local_port_range', '11000 65535');
}

function readArguments(given: readonly string[]) {
  const isShort = given.includes('short');
  const values = new Map<string, string>();
  for (const argument of given.filter((each) => each !== 'short')) {
    const [, name, value] =
      /^(rounds|milliseconds|seed)=(\d+)$/.exec(argument) ?? /^(rows|programs)=(.+)$/.exec(argument) ?? [];
    if (name === undefined || value === undefined) {
      console.error(`"${argument}" is unknown: ${USAGE}`);
      process.exit(1);
    }
    values.set(name, value);
  }
  const number = (name: string, otherwise: number) => Number(values.get(name) ?? otherwise);
  return {
    rounds: number('rounds', isShort ? 1 : 5),
    milliseconds: number('milliseconds', isShort ? 100 : 1_000),
    seed: number('seed', Date.now() % 100_000),
    rows: values.get('rows') ?? '',
    programs: values.get('programs') ?? '',
    idle: isShort ? 100 : 1_000,
  };
}

function shuffled<Item>(items: readonly Item[], random: ReturnType<typeof createRandom>): Item[] {
  return items
    .map((item) => ({ item, order: random.below(2 ** 31) }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item);
}
