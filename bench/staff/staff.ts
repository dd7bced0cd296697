/**
 * Measures every list of staff with a million rows or more: the first page, page 100, the last page, each filter, each sort, and filters that
 * match nothing. A list is read by its service, count included, as the endpoint does it. Prints the table of docs/benchmarks.md, and
 * fails if a list misses the target. The CPU time of the database does not depend on the other load of the machine.
 *
 * Usage: npm run bench:staff -- [users=N] [connections=N] [invoices=N] [tickets=N] [audit=N] [proxies=N]
 *   [rounds=N] [only=text] [keep]
 * With `keep` the database stays, and the next run with `keep` measures it again.
 */
import pg from 'pg';
import { updateSums } from '../../api/src/modules/dashboard/sums.service.ts';
import { startPostgres } from '../../tools/pg.mjs';
import { openBench, openContext } from '../billing/setup.ts';
import { openCpuClock } from '../cpu-clock.ts';
import { insertStaffData } from './data.ts';
import { staffLists } from './lists.ts';

const TARGET_P99_MS = 50;
const DATABASE = 'bench_staff';
const options = new Map(process.argv.slice(2).map((option) => option.split('=', 2) as [string, string | undefined]));
const size = (name: string, fallback: number) => Number(options.get(name) ?? fallback);
const ROUNDS = size('rounds', 100);

const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
const url = new URL(postgres.url);
url.pathname = `/${DATABASE}`;
if (await createDatabase()) await fill();
const { ctx, database } = await openContext(url.href);

console.log('| List | p50 ms | p99 ms | CPU of the database, ms |\n| --- | ---: | ---: | ---: |');
let isWithinTarget = true;
for (const [name, read] of Object.entries(await staffLists(ctx)))
  if (name.includes(options.get('only') ?? '')) await report(name, read);
await database.close();
if (!options.has('keep')) await administrate(`drop database ${DATABASE} with (force)`);
await postgres.stop();
if (!isWithinTarget) process.exitCode = 1;

/** @returns false if a kept one is used again */
async function createDatabase(): Promise<boolean> {
  const found = await administrate(`select from pg_database where datname = '${DATABASE}'`);
  if (found > 0 && options.has('keep')) return false;
  await administrate(`drop database if exists ${DATABASE} with (force)`);
  await administrate(`create database ${DATABASE}`);
  return true;
}

async function administrate(text: string): Promise<number> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rowCount } = await client.query(text);
  await client.end();
  return rowCount ?? 0;
}

async function fill(): Promise<void> {
  const bench = await openBench(url.href, {
    gateways: 1,
    connectionsPerGateway: 1000,
    freeProxies: size('proxies', 100_000),
    storedConnections: size('connections', 1_000_000),
  });
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await insertStaffData(client, {
    users: size('users', 1_000_000),
    invoices: size('invoices', 1_000_000),
    tickets: size('tickets', 1_000_000),
    auditEntries: size('audit', 1_000_000),
  });
  await client.end();
  await updateSums(bench.ctx);
  await bench.close();
}

async function report(name: string, read: () => Promise<unknown>): Promise<void> {
  // Opens the connections that it needs, whose processes are measured then.
  for (let round = 0; round < 3; round++) await read();
  const readCpuMs = await openCpuClock(ctx);
  const cpuBefore = readCpuMs();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await read();
    times.push(performance.now() - startedAt);
  }
  const cpuMs = (readCpuMs() - cpuBefore) / ROUNDS;
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  if (at(0.99) > TARGET_P99_MS) isWithinTarget = false;
  console.log(`| ${name} | ${at(0.5).toFixed(1)} | ${at(0.99).toFixed(1)} | ${cpuMs.toFixed(1)} |`);
}
