/**
 * Measures searches and group counts in a catalogue of a million proxies, through the service and over HTTP, at increasing
 * sizes, and purchases with and without the background count. The unit is the latency of pgbench's TPC-B transaction with
 * one client on the same server in the same run. Prints the table of docs/benchmarks.md.
 *
 * Usage: npm run bench:catalogue -- [proxies] [searches of each kind]
 */
import { createClient } from '@cellhop/contract/client';
import { getProxyFacets, getProxyFilter, type ProxyFilter, searchProxies } from '@cellhop/contract/proxies';
import { toMicros } from '@cellhop/contract/units';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { buildApp } from '../../api/src/app.ts';
import {
  createCountsReader,
  createFacetsReader,
  ensureCounts,
  refreshCounts,
  refreshFacets,
  search,
} from '../../api/src/modules/proxies/proxies.service.ts';
import { startPostgres } from '../../tools/pg.mjs';
import { cloneDatabase } from '../../tools/test-database.mjs';
import { preparePgbench, runPgbench } from '../billing/pgbench.ts';
import { purchaseInProcess } from '../billing/purchase.ts';
import { openBench, PRICE_DOLLARS, signInAs, type Bench } from '../billing/setup.ts';
import { filterKinds, type Kind } from './filters.ts';
import { createRandomFunctions, insertProxies, setPrice } from './proxies.ts';

const PROXIES = Number(process.argv[2] ?? 1_000_000);
const SEARCHES = Number(process.argv[3] ?? 200);
const SIZES = [1000, 10_000, 100_000, 1_000_000].filter((size) => size < PROXIES).concat(PROXIES);
const TYPICAL_TARGET_P99_MS = 20;
const WORST_TARGET_P99_MS = 60;
const PURCHASE_ROUNDS = 5;
const PURCHASE_SECONDS = 3;
const CLIENTS = 8;
/** More than are sold in all rounds. */
const PURCHASES_MAX = 80_000;

const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
const peer = await cloneDatabase(postgres.url, 'template1');
const catalogue = await cloneDatabase(postgres.url, 'template1');
const hasPgbench = preparePgbench(peer.url);
const bench = await openBench(catalogue.url, {
  gateways: 2,
  connectionsPerGateway: 1000,
  freeProxies: 0,
  storedConnections: 0,
});
await createRandomFunctions(bench.ctx);

let size = 0;
for (const next of SIZES) {
  await insertProxies(bench.ctx, size + 1, next);
  size = next;
  await bench.ctx.db.query('vacuum analyze proxies');
  const countMs = await timeCount(bench);
  const kinds = filterKinds(await readFilter(bench));
  const isLargest = size === PROXIES;
  const unitMs = tpcbMs();
  console.log(`\n## ${size.toLocaleString('en')} proxies\n`);
  console.log(
    `Group counts: ${countMs.toFixed(0)} ms in the background. TPC-B, one client: ${unitMs.toFixed(2)} ms.\n`,
  );
  await report(kinds, isLargest ? SEARCHES : Math.ceil(SEARCHES / 4), unitMs, (query) => search(bench.ctx, query));
  await facets(kinds, isLargest ? SEARCHES : Math.ceil(SEARCHES / 4), unitMs);
  if (isLargest) await overHttp(kinds, unitMs);
}
if (PROXIES >= PURCHASES_MAX) await purchases();
else console.log(`\nPurchases skipped: they would sell out a catalogue of fewer than ${PURCHASES_MAX} proxies.`);
await bench.close();
await catalogue.drop();
await peer.drop();
await postgres.stop();

/** NaN if pgbench is not installed. */
function tpcbMs(): number {
  return hasPgbench ? 1000 / (runPgbench(peer.url, 1, 2) ?? Number.NaN) : Number.NaN;
}

async function timeCount({ ctx }: Bench): Promise<number> {
  await ctx.db.query('delete from proxy_counts');
  const startedAt = performance.now();
  await ensureCounts(ctx);
  return performance.now() - startedAt;
}

async function readFilter({ ctx }: Bench): Promise<ProxyFilter> {
  const { body } = await createCountsReader()(ctx);
  return (JSON.parse(body) as { data: ProxyFilter }).data;
}

/** Counts under a filter. The first count of a process also loads all combinations. */
async function facets(kinds: readonly Kind[], count: number, unitMs: number): Promise<void> {
  const startedAt = performance.now();
  await bench.ctx.db.query('update proxy_counts set facets_counted_at = null');
  await refreshFacets(bench.ctx);
  const countedAt = performance.now();
  const reader = createFacetsReader();
  await reader.count(bench.ctx, {});
  const [sizes] = await bench.ctx.db.query<{ bytes: number }>(
    'select sum(length(body))::int as bytes from proxy_facets',
  );
  console.log(
    `\nCounts by filter: ${(countedAt - startedAt).toFixed(0)} ms in the background; the first load of ${sizes!.bytes} bytes ${(performance.now() - countedAt).toFixed(0)} ms.\n`,
  );
  await report(kinds, count, unitMs, (query) => reader.count(bench.ctx, query));
}

type Find = (query: ReturnType<Kind['make']>) => Promise<unknown>;

/** Searches run sequentially and alternate between the kinds, so that a slow moment of the machine affects all kinds. */
async function report(kinds: readonly Kind[], count: number, unitMs: number, find: Find): Promise<void> {
  const times = kinds.map((): number[] => []);
  const cpuTimes = kinds.map((): number[] => []);
  const clock = await openCpuClock(bench);
  for (let n = -5; n < count; n++) {
    for (const [index, kind] of kinds.entries()) {
      const query = kind.make(n + 5);
      const cpuBeforeMs = clock();
      const startedAt = performance.now();
      await find(query);
      if (n < 0) continue; // The first searches are a warm-up of prepared statements.
      times[index]!.push(performance.now() - startedAt);
      cpuTimes[index]!.push(clock() - cpuBeforeMs);
    }
  }
  console.log(
    '| Filter | p50 ms | p99 ms | p50 / TPC-B | CPU p50 ms | CPU p99 ms | target, p99 ms |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  );
  for (const [index, kind] of kinds.entries()) {
    const [p50, p99] = [quantile(times[index]!, 0.5), quantile(times[index]!, 0.99)];
    const [cpu50, cpu99] = [quantile(cpuTimes[index]!, 0.5), quantile(cpuTimes[index]!, 0.99)];
    const target = kind.isWorst ? WORST_TARGET_P99_MS : TYPICAL_TARGET_P99_MS;
    console.log(
      `| ${kind.name} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${(p50 / unitMs).toFixed(1)} | ${cpu50.toFixed(1)} | ${cpu99.toFixed(1)} | ${target}${p99 < target ? '' : ' (missed)'} |`,
    );
  }
}

async function overHttp(kinds: readonly Kind[], unitMs: number): Promise<void> {
  const app = await buildApp(bench.ctx);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const headers = await signInAs(bench, bench.actors[0]!.userId);
  const call = createClient({ baseUrl, headers: () => headers });
  console.log('\nOver HTTP:\n');
  await report(kinds, SEARCHES, unitMs, (query) => call(searchProxies, { query }));

  console.log('\nCounts by filter over HTTP:\n');
  await report(kinds, SEARCHES, unitMs, (query) => call(getProxyFacets, { query }));

  const etag = (await fetch(baseUrl + getProxyFilter.url, { headers })).headers.get('etag')!;
  const request = async (known: Record<string, string>) => {
    const startedAt = performance.now();
    await (await fetch(baseUrl + getProxyFilter.url, { headers: { ...headers, ...known } })).arrayBuffer();
    return performance.now() - startedAt;
  };
  for (const [name, known] of [
    ['full response', {}],
    ['304', { 'if-none-match': etag }],
  ] as const) {
    const times: number[] = [];
    for (let n = 0; n < SEARCHES; n++) times.push(await request(known));
    console.log(
      `\nGET ${getProxyFilter.url}, ${name}: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
    );
  }
  await app.close();
}

/** Alternates rounds with and without the background count of the worker. */
async function purchases(): Promise<void> {
  bench.freeProxyIds.push(...(await setPrice(bench.ctx, toMicros(PRICE_DOLLARS), PURCHASES_MAX)));
  const ratios: number[] = [];
  for (let round = 0; round < PURCHASE_ROUNDS; round++) {
    // The order alternates, because the server gets faster as it warms up.
    const isCountedFirst = round % 2 === 1;
    const first = await purchaseRate(isCountedFirst);
    const second = await purchaseRate(!isCountedFirst);
    const [without, withCounts] = isCountedFirst ? [second, first] : [first, second];
    ratios.push(withCounts / without);
    console.log(`\npurchases/s: ${without.toFixed(0)} alone, ${withCounts.toFixed(0)} with the background count`);
  }
  console.log(
    `\nRatio: median ${quantile(ratios, 0.5).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
  );
}

async function purchaseRate(isCounted: boolean): Promise<number> {
  const counting = isCounted ? startCounting() : undefined;
  const rate = await purchaseInProcess(bench, CLIENTS, PURCHASE_SECONDS);
  await counting?.stop();
  return rate;
}

function startCounting(): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const finished = (async () => {
    while (!stopping.signal.aborted) {
      await refreshCounts(bench.ctx);
      await setTimeout(1000);
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return finished;
    },
  };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;
}

/**
 * The CPU time of this database's server processes, in milliseconds. Unlike elapsed time it does not depend on the load of
 * the machine. Linux only; NaN on other systems.
 */
async function openCpuClock({ ctx }: Bench): Promise<() => number> {
  const rows = await ctx.db.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
  );
  return () => rows.reduce((sum, { pid }) => sum + readCpuMs(pid), 0);
}

function readCpuMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}
