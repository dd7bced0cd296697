/**
 * Purchases and per-megabyte charging against pgbench's built-in TPC-B script, on the same durable server, in
 * interleaved rounds of one run. Prints rates and the ratios to TPC-B: median, minimum and maximum.
 *
 * Usage: npm run bench:billing -- [rounds]
 */
import { settleReports } from '../../api/src/modules/connections/settlement.ts';
import { openBench, type Bench } from './setup.ts';
import { preparePgbench, runPgbench } from './pgbench.ts';
import { purchaseOverHttp, purchaseInProcess } from './purchase.ts';
import { cloneDatabase } from '../../tools/test-database.mjs';
import { startPostgres } from '../../tools/pg.mjs';

const rounds = Number(process.argv[2] ?? 5);
const SECONDS = 3;
const CLIENTS = 8;
const MB = 1_048_576n;
/** One gateway's batch: this many connections report in one request. */
const BATCH = 500;

const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
const peer = await cloneDatabase(postgres.url, 'template1');
const own = await cloneDatabase(postgres.url, 'template1');
const hasPgbench = preparePgbench(peer.url);
if (!hasPgbench)
  console.log('pgbench is not installed (Debian: postgresql-contrib or postgresql-15): rates without ratios');
const bench = await openBench(own.url, { users: 2000, proxies: 60_000, openConnections: BATCH * 2 });

const rates = { tpcb: [] as number[], purchase: [] as number[], http: [] as number[], charge: [] as number[] };
for (let round = 0; round < rounds; round++) {
  rates.tpcb.push(runPgbench(peer.url, CLIENTS, SECONDS) ?? Number.NaN);
  rates.purchase.push(await purchaseInProcess(bench, CLIENTS, SECONDS));
  rates.http.push(await purchaseOverHttp(bench, CLIENTS, SECONDS));
  rates.charge.push(await chargeOneMegabyteEach(bench, SECONDS));
}
const deadlocks = await bench.countDeadlocks();
const broken = await bench.audit();
await bench.close();
await own.drop();
await peer.drop();
await postgres.stop();

console.log(`${rounds} rounds of ${SECONDS} s each, ${CLIENTS} clients`);
report('TPC-B (pgbench), transactions/s', rates.tpcb);
report('purchases/s, in process', rates.purchase);
report('purchases/s, POST /v1/proxies/connections', rates.http);
report(`megabytes charged/s, batches of ${BATCH} connections`, rates.charge);
console.log(`${deadlocks} deadlocks, ${broken.length} broken invariants`);
for (const sentence of broken.slice(0, 10)) console.error(sentence);
process.exit(broken.length === 0 ? 0 : 1);

/** Credit control: each report begins one megabyte and asks for the next. Two gateways at once. @returns charges/s */
async function chargeOneMegabyteEach({ ctx, runs }: Bench, seconds: number): Promise<number> {
  const deadline = performance.now() + seconds * 1000;
  const startedAt = performance.now();
  let charged = 0;
  const gateway = async (run: Bench['runs'][number]) => {
    while (performance.now() < deadline) {
      run.usedMegabytes += 1n;
      const usedBytes = run.usedMegabytes * MB;
      const reports = run.connectionIds.map((connectionId) => ({
        connectionId,
        usedBytes,
        uploadedBytes: 0n,
        wantedBytes: MB,
        isExitLost: false,
      }));
      const answers = await settleReports(ctx, run.id, reports, 'report');
      if (answers.some((answer) => answer.state !== 'open'))
        throw new Error('a connection of the bench ran out of money');
      charged += reports.length;
    }
  };
  await Promise.all(runs.map(gateway));
  return charged / ((performance.now() - startedAt) / 1000);
}

function report(name: string, values: readonly number[]): void {
  const ratios = values.map((value, index) => value / rates.tpcb[index]!);
  const ratio = hasPgbench
    ? `, x TPC-B ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)})`
    : '';
  console.log(`${name.padEnd(56)} ${median(values).toFixed(0).padStart(8)}${ratio}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
