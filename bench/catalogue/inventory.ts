/**
 * Measures the operations of staff on a catalogue of a million proxies: pages of the list with different filters, a bulk change, imports of
 * 100,000 lines, new ones and changed ones. Prints the table of docs/benchmarks.md.
 *
 * Usage: npm run bench:inventory -- [proxies] [pages of each kind]
 */
import type { InventoryFilter } from '@cellhop/contract/staff/inventory';
import { type InventorySort, importColumns } from '@cellhop/contract/staff/inventory.values';
import { addNode } from '../../api/src/modules/gateway/gateway.service.ts';
import {
  applyChange,
  type ChangeRequest,
  getChange,
  orderChange,
} from '../../api/src/modules/proxies/inventory-changes.service.ts';
import { checkImport } from '../../api/src/modules/proxies/imports.service.ts';
import { listInventory, readSelection } from '../../api/src/modules/proxies/inventory.service.ts';
import { startPostgres } from '../../tools/pg.mjs';
import { cloneDatabase } from '../../tools/test-database.mjs';
import { openBench } from '../billing/setup.ts';
import { createRandomFunctions, insertProxies } from './proxies.ts';

const PROXIES = Number(process.argv[2] ?? 1_000_000);
const PAGES = Number(process.argv[3] ?? 100);
const LINES = 100_000;
/** Retired and unhealthy ones. */
const NOT_FREE_SHARE = 0.03;
const OPERATOR = { actorId: undefined, requester: undefined };
const PRICES = { before: '0.8', after: '0.9' };

const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
const catalogue = await cloneDatabase(postgres.url, 'template1');
const bench = await openBench(catalogue.url, {
  gateways: 1,
  connectionsPerGateway: 1000,
  freeProxies: 0,
  storedConnections: 0,
});
await createRandomFunctions(bench.ctx);
await addNode(bench.ctx, 'berlin');
await insertProxies(bench.ctx, 1, PROXIES);
await bench.ctx.db.query(
  `update proxies set retired_at = case when ip::text like '%1/32' then now() end, is_exit_healthy = false
    where ip <= '11.0.0.0'::inet + $1::bigint and connection_id is null`,
  [Math.floor(PROXIES * NOT_FREE_SHARE)],
);
await bench.ctx.db.query('vacuum analyze proxies');

console.log(`\n${PROXIES.toLocaleString('en')} proxies\n\n| Page | p50 ms | p99 ms |\n| --- | ---: | ---: |`);
await page('of all, by address', {});
await page('of all, by price', {}, 'price');
await page('of all, the 200th', {}, 'ip', 200);
await page('of the largest country', { country: ['AA'] });
await page('of a small country, by price', { country: ['HH'] }, '-price');
await page('of one operator', { isp: ['Operator 5-3'] });
await page('of a country and an operator of another', { country: ['AA'], isp: ['Operator 5-3'] });
await page('of a network (/16)', { ip: '11.3' });
await page('of retired ones', { state: 'RETIRED' });
await page('of retired ones of a country', { state: 'RETIRED', country: ['AC'] }, 'price');
await page('of a node without proxies', { node: 'berlin' });

console.log('\n| Work | seconds |\n| --- | ---: |');
await bulkPrice();
await importFile('new', 0, PRICES.before);
await importFile('unchanged', 0, PRICES.before);
await importFile('changed', 0, PRICES.after);
await bench.close();
await catalogue.drop();
await postgres.stop();

async function page(name: string, filter: InventoryFilter, sort: InventorySort = 'ip', number = 1): Promise<void> {
  const times: number[] = [];
  for (let n = -3; n < PAGES; n++) {
    const startedAt = performance.now();
    await listInventory(bench.ctx, { ...filter, sort, page: number, size: 50 });
    if (n >= 0) times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.99)} |`);
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  console.log(`| ${name} | ${((performance.now() - startedAt) / 1000).toFixed(1)} |`);
}

async function bulkPrice(): Promise<void> {
  const filter: InventoryFilter = { ip: '11.2' };
  const { count, fingerprint } = await readSelection(bench.ctx, filter);
  await timed(`price change of ${count.toLocaleString('en')} proxies`, () =>
    change({ kind: 'PRICE', request: { filter, count, fingerprint, change: { percent: 10 } } }),
  );
}

/** Orders a change, and applies it as the job does. */
async function change(order: ChangeRequest): Promise<void> {
  const { id } = await orderChange(bench.ctx, OPERATOR, order);
  await applyChange(bench.ctx, { changeId: id });
  const { status } = await getChange(bench.ctx, id);
  if (status !== 'DONE') throw new Error(`the change is ${status}`);
}

async function importFile(kind: string, first: number, price: string): Promise<void> {
  const content = Buffer.from(file(first, price));
  let id = '';
  const size = `${LINES.toLocaleString('en')} lines, ${(content.length / 1e6).toFixed(0)} MB, ${kind}`;
  await timed(`check ${size}`, async () => {
    const checked = await checkImport(bench.ctx, OPERATOR, { format: 'csv', fileName: 'bench.csv', content });
    id = checked.id!;
  });
  await timed(`apply ${size}`, () => change({ kind: 'IMPORT', request: { importId: id } }));
}

function file(first: number, price: string): string {
  const lines = Array.from({ length: LINES }, (_, index) => {
    const n = first + index;
    const ip = `12.${(n >> 16) % 256}.${(n >> 8) % 256}.${n % 256}`;
    return `${ip},${price},DE,"Region, ${n % 16}",City ${n % 200},${10_000 + (n % 3000)},Operator ${n % 7},LTE,berlin,local-address,10.0.${n % 100}.1`;
  });
  return [importColumns.join(','), ...lines].join('\r\n');
}
