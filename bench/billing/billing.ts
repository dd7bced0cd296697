/**
 * Compares purchases and credit control with pgbench's built-in TPC-B script, on the same durable server, in interleaved
 * rounds of one run, on a small and on a large database. Prints rates, ratios to TPC-B, and the slowdown by size. TPC-B runs
 * before and after every measurement, and the ratio is to the mean of the two, because the speed of disks varies over minutes.
 *
 * Usage: npm run bench:billing -- [rounds] [stored connections of the large database; 0: skip it]
 */
import type { AddressInfo } from 'node:net';
import { buildApp } from '../../api/src/app.ts';
import { cloneDatabase } from '../../tools/test-database.mjs';
import { startPostgres } from '../../tools/pg.mjs';
import { preparePgbench, runPgbench } from './pgbench.ts';
import { purchaseInProcess, purchaseOverHttp } from './purchase.ts';
import { openBench, type Bench } from './setup.ts';
import { syncInProcess, syncLive, syncOverHttp } from './syncs.ts';

const rounds = Number(process.argv[2] ?? 5);
const largeSize = Number(process.argv[3] ?? 1_000_000);
const SMALL_SIZE = 1000;
const SECONDS = 3;
const LIVE_SECONDS = 10;
const CLIENTS = 8;
const GATEWAYS = 16;
const CONNECTIONS_PER_GATEWAY = 500;
const LIVE_CONNECTIONS = 10_000;
const PURCHASES_PER_SECOND_MAX = 5000;

const measures = {
  syncInProcess: 'syncs of 1 MB, in process',
  syncOverHttp: `syncs of 1 MB, over HTTP`,
  purchase: 'purchases, in process',
  purchaseOverHttp: 'purchases, over HTTP',
} as const;
type Measure = keyof typeof measures;

/** The rate of one measurement, and of TPC-B at the same time. */
interface Sample {
  perSecond: number;
  peerPerSecond: number;
}

/** A database of one size, its API, and its samples, one per round. */
interface Subject {
  name: string;
  bench: Bench;
  baseUrl: string;
  samples: Record<Measure, Sample[]>;
  close(): Promise<void>;
}

const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
const peer = await cloneDatabase(postgres.url, 'template1');
const hasPgbench = preparePgbench(peer.url);
if (!hasPgbench)
  console.log('pgbench is not installed (Debian: postgresql-contrib or postgresql-15): rates without ratios');
const subjects = [await openSubject(SMALL_SIZE)];
if (largeSize > 0) subjects.push(await openSubject(largeSize));

const peerRates: number[] = [];
// Round 0 is a warm-up of plans and pages.
for (let round = 0; round <= rounds; round++) {
  // The order alternates, so that no database always runs on the fuller write-ahead log.
  const inOrder = round % 2 === 0 ? subjects : subjects.toReversed();
  let before = runPeer();
  for (const key of Object.keys(measures) as Measure[]) {
    const measured: number[] = [];
    for (const subject of inOrder) measured.push(await measure(subject, key));
    const after = runPeer();
    if (round > 0) {
      const peerPerSecond = (before + after) / 2;
      for (const [index, { samples }] of inOrder.entries())
        samples[key].push({ perSecond: measured[index]!, peerPerSecond });
      peerRates.push(after);
    }
    before = after;
  }
}
console.log(`\n${rounds} rounds of ${SECONDS} s each, ${CLIENTS} clients, ${GATEWAYS} gateways; medians`);
console.log(`${'TPC-B (pgbench)'.padEnd(44)}${rate(median(peerRates))}`);
for (const { name, samples } of subjects)
  for (const [key, title] of Object.entries(measures)) report(`${title}, ${name}`, samples[key as Measure]);
const [small, large] = subjects;
if (large)
  for (const [key, title] of Object.entries(measures)) {
    const larger = large.samples[key as Measure];
    const growth = small!.samples[key as Measure].map(({ perSecond }, index) => perSecond / larger[index]!.perSecond);
    console.log(`${`growth: ${title}`.padEnd(44)}${`${median(growth).toFixed(2)} x slower`.padStart(14)}`);
  }

let violations = 0;
for (const { bench, name } of subjects) {
  const broken = await bench.checkInvariants();
  const deadlocks = await bench.countDeadlocks();
  violations += broken.length + deadlocks;
  console.log(`${name}: ${deadlocks} deadlocks, ${broken.length} broken invariants`);
  for (const violation of broken.slice(0, 10)) console.error(violation);
}
for (const subject of subjects) await subject.close();
await measureLive();
await peer.drop();
await postgres.stop();
process.exit(violations === 0 ? 0 : 1);

async function openSubject(storedConnections: number): Promise<Subject> {
  const startedAt = performance.now();
  const database = await cloneDatabase(postgres.url, 'template1');
  const bench = await openBench(database.url, {
    gateways: GATEWAYS,
    connectionsPerGateway: CONNECTIONS_PER_GATEWAY,
    freeProxies: (rounds + 1) * SECONDS * PURCHASES_PER_SECOND_MAX,
    storedConnections,
  });
  const name = `${storedConnections.toLocaleString('en')} stored`;
  console.log(`${name}: ready after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  const app = await serve(bench);
  return {
    name,
    bench,
    baseUrl: app.baseUrl,
    samples: { syncInProcess: [], syncOverHttp: [], purchase: [], purchaseOverHttp: [] },
    close: async () => {
      await app.close();
      await bench.close();
      await database.drop();
    },
  };
}

async function serve({ ctx }: Bench) {
  const app = await buildApp(ctx);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { baseUrl: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, close: () => app.close() };
}

/** @returns NaN if pgbench is not installed */
function runPeer(): number {
  return runPgbench(peer.url, CLIENTS, SECONDS) ?? Number.NaN;
}

/** @returns the rate per second */
async function measure({ bench, baseUrl }: Subject, key: Measure): Promise<number> {
  switch (key) {
    case 'syncInProcess':
      return syncInProcess(bench, SECONDS);
    case 'syncOverHttp':
      return (await syncOverHttp(bench, baseUrl, SECONDS)).syncsPerSecond;
    case 'purchase':
      return purchaseInProcess(bench, CLIENTS, SECONDS);
    case 'purchaseOverHttp':
      return purchaseOverHttp(bench, baseUrl, CLIENTS, SECONDS);
  }
}

/** Uses a separate database without other load. */
async function measureLive(): Promise<void> {
  const database = await cloneDatabase(postgres.url, 'template1');
  const bench = await openBench(database.url, {
    gateways: GATEWAYS,
    connectionsPerGateway: LIVE_CONNECTIONS / GATEWAYS,
    freeProxies: 0,
    storedConnections: SMALL_SIZE,
  });
  const app = await serve(bench);
  const { syncsPerSecond, latenciesMs } = await syncLive(bench, app.baseUrl, LIVE_SECONDS);
  const at = (part: number) => latenciesMs[Math.floor((latenciesMs.length - 1) * part)]!.toFixed(0);
  const title = `${LIVE_CONNECTIONS.toLocaleString('en')} live connections, a report each second`;
  console.log(`${title.padEnd(44)}${rate(syncsPerSecond)}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  await app.close();
  await bench.close();
  await database.drop();
}

function report(title: string, samples: readonly Sample[]): void {
  const ratios = samples.map(({ perSecond, peerPerSecond }) => perSecond / peerPerSecond);
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const ratio = hasPgbench ? `   ${median(ratios).toFixed(2)} x TPC-B (${range})` : '';
  console.log(`${title.padEnd(44)}${rate(median(samples.map(({ perSecond }) => perSecond)))}${ratio}`);
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')} /s`.padStart(14);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
