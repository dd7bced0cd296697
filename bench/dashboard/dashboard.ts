/**
 * Measures the queries of the dashboard, with a million ended connections and ten million transfers, and how fast the worker adds
 * transfers to its sums. Prints the table of bench/README.md.
 *
 * Usage: npm run bench:dashboard -- [stored connections] [rounds]
 */
import { permissions } from '@cellhop/contract/permissions';
import type { DashboardQuery } from '@cellhop/contract/staff/dashboard';
import type { Ctx } from '../../api/src/ctx.ts';
import { readDashboard } from '../../api/src/modules/dashboard/dashboard.service.ts';
import * as store from '../../api/src/modules/dashboard/dashboard.store.ts';
import { updateSums } from '../../api/src/modules/dashboard/sums.service.ts';
import { showReconciliation } from '../../api/src/modules/reconciliation/reconciliation.service.ts';
import { readFigures } from '../../api/src/modules/support/desk.service.ts';
import { startPostgres } from '../../tools/pg.mjs';
import { cloneDatabase } from '../../tools/test-database.mjs';
import { openBench } from '../billing/setup.ts';

const CONNECTIONS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 200);
const TARGET_P99_MS = 100;
const TICKETS = 100_000;
/** Transfers that the worker has not added yet: more than a minute of 100 charges a second, and some top-ups. */
const NEW_TRANSFERS = 10_000;
const TOP_UP_EVERY = 100;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const figures = ['REVENUE', 'TOP_UP', 'UPLOADED', 'DOWNLOADED', 'SIGN_UP'] as const;

const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
const database = await cloneDatabase(postgres.url, 'template1');
const bench = await openBench(database.url, {
  gateways: 2,
  connectionsPerGateway: 1000,
  freeProxies: 10_000,
  storedConnections: CONNECTIONS,
});
const { ctx } = bench;
await insertTickets(ctx);
const caughtUpMs = await time(() => updateSums(ctx));
const [stored] = await ctx.db.query<{ transfers: number }>('select count(*)::int as transfers from transfers');
await insertYear(ctx);
await insertNewTransfers(ctx);
await ctx.tx((ctx) => ctx.db.query('analyze tickets, ticket_messages, dashboard_sums, dashboard_days, transfers'), {
  timeLimitMs: 120_000,
});

console.log(
  `${stored!.transfers.toLocaleString('en')} transfers; the worker summed them in ${caughtUpMs.toFixed(0)} ms.`,
);
console.log(`A run of the worker without news: ${(await time(() => updateSums(ctx))).toFixed(0)} ms.\n`);
console.log('| Query | p50 | p99 |\n| --- | --- | --- |');
const week = range(7, 'day');
let isWithinTarget = true;
for (const [name, query] of Object.entries({
  'sums, 24 hours': () => readSums(range(1, 'hour')),
  'sums, 7 days': () => readSums(week),
  'sums, 30 days': () => readSums(range(30, 'day')),
  'sums, 366 days': () => readSums(range(366, 'day')),
  'sums, 366 days in Berlin': () => readSums({ ...range(366, 'day'), timeZone: 'Europe/Berlin' }),
  'live connections': () => store.countLive(ctx),
  'proxies by country': () => store.listProxies(ctx),
  'tickets, 7 days': () => readFigures(ctx, week),
  gateways: () => store.countNodes(ctx, 15),
  'money check': () => showReconciliation(ctx),
  'the whole screen, 7 days': () => readDashboard(ctx, { permissions: new Set(permissions) }, week),
}))
  await report(name, query);
await bench.close();
await database.drop();
await postgres.stop();
if (!isWithinTarget) process.exitCode = 1;

function range(days: number, step: 'hour' | 'day'): DashboardQuery {
  const now = Date.now();
  return { from: new Date(now - days * DAY_MS).toISOString(), to: new Date(now).toISOString(), step, timeZone: 'UTC' };
}

/** The requests of the screen. */
async function readSums(query: DashboardQuery): Promise<unknown> {
  return store.listSums(ctx, query, await store.listSteps(ctx, query), figures);
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function report(name: string, query: () => Promise<unknown>): Promise<void> {
  await query();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await time(query));
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  if (at(0.99) > TARGET_P99_MS) isWithinTarget = false;
  console.log(`| ${name} | ${at(0.5).toFixed(1)} ms | ${at(0.99).toFixed(1)} ms |`);
}

/** Spread over a year, each with a reply. */
async function insertTickets(ctx: Ctx): Promise<void> {
  await ctx.tx(
    async (ctx) => {
      await ctx.db.query(
        `insert into tickets (user_id, author_id, name, description, status, created_at, closed_at)
         select users.id, users.id, 'A question', 'About proxies', case when n % 50 = 0 then 'OPEN' else 'CLOSED' end,
                now() - n * interval '5 minutes', case when n % 50 = 0 then null else now() end
           from (select id from users limit 1) as users, generate_series(1, $1::int) as n`,
        [TICKETS],
      );
      await ctx.db.query(
        `insert into ticket_messages (ticket_id, author_id, is_user, content, created_at)
         select id, user_id, false, 'An answer', created_at + interval '10 minutes' from tickets`,
      );
    },
    { timeLimitMs: 120_000 },
  );
}

/** A year in which something happens each hour, in each currency. */
async function insertYear(ctx: Ctx): Promise<void> {
  await ctx.tx(
    (ctx) =>
      ctx.db.query(
        `insert into dashboard_sums (figure, hour, currency, amount, count)
     select figure::dashboard_figure, hour, currency, 1000000, 1
       from generate_series(date_trunc('hour', now(), 'UTC') - interval '366 days', now(), interval '1 hour') as hour,
            (select unnest(array['REVENUE', 'UPLOADED', 'DOWNLOADED', 'SIGN_UP']) as figure, '' as currency
             union all
             select 'TOP_UP', unnest(array['BTC', 'ETH', 'LTC', 'TRX', 'TON', 'USDT_TRC20', 'USDT_ERC20', 'USDT_BSC', 'USDT_TON'])
            ) as kind
     on conflict do nothing`,
      ),
    { timeLimitMs: 120_000 },
  );
}

async function insertNewTransfers(ctx: Ctx): Promise<void> {
  const topUps = NEW_TRANSFERS / TOP_UP_EVERY;
  await ctx.db.query(
    `insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                            uploaded_bytes, downloaded_bytes, charge_hash)
     select (select min(id) from accounts where kind = 'USER'), 2, 8000, 'MEGABYTE', 50 + n, 51 + n, 0, 1048576, sha256(n::text::bytea)
       from generate_series(1, $1::int) as n`,
    [NEW_TRANSFERS - topUps],
  );
  await ctx.db.query(
    `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
     select 'deposit:' || gen_random_uuid(), 1, (select min(id) from accounts where kind = 'USER'), 1, 'TOP_UP'
       from generate_series(1, $1::int)`,
    [topUps],
  );
}
