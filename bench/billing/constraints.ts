/**
 * The cost of single constraints for a purchase and a charge: CPU time of the database with and without each, in short
 * measurements of one run, whose order alternates from pair to pair. It uses CPU time, because elapsed time depends on other
 * load, and the lower quartile, because disturbances only add time. Purchases are made by one statement, without a client; the
 * ratio is to a whole purchase, including Node. CPU time is available on Linux only.
 *
 * Usage: npm run bench:constraints -- [pairs]
 */
import { toMicros } from '@cellhop/contract/units';
import pg from 'pg';
import { connect } from '../../api/src/modules/connections/connections.service.ts';
import { settleReports } from '../../api/src/modules/billing/settlement.service.ts';
import { cloneDatabase } from '../../tools/test-database.mjs';
import { startPostgres } from '../../tools/pg.mjs';
import { openCpuClock } from '../cpu-clock.ts';
import { openBench, PRICE_DOLLARS } from './setup.ts';

const pairs = Number(process.argv[2] ?? 40);
const PURCHASES = 300;
const WARMING_PURCHASES = 30;
const MEGABYTE_BYTES = 1_048_576;
const GATEWAYS = 2;
const STORED_CONNECTIONS = 20_000;

interface Constraint {
  name: string;
  add: string;
  drop: string;
}

/** `not valid`: new rows cost the same, but existing rows are not checked when the constraint is added. */
const foreignKey = (table: string, column: string, target: string, options = ''): Constraint => ({
  name: `${table}.${column} -> ${target}`,
  add: `alter table ${table} add constraint ${table}_${column}_fkey foreign key (${column}) references ${target} ${options} not valid`,
  drop: `alter table ${table} drop constraint if exists ${table}_${column}_fkey`,
});
const combined = (name: string, all: readonly Constraint[]): Constraint => ({
  name,
  add: all.map(({ add }) => add).join(';'),
  drop: all.map(({ drop }) => drop).join(';'),
});

const foreignKeys = [
  {
    name: 'connections (user_id, payer_account_id) -> users',
    add: `alter table connections add constraint connections_user_account_fkey foreign key (user_id, payer_account_id)
          references users (id, account_id) not valid`,
    drop: 'alter table connections drop constraint if exists connections_user_account_fkey',
  },
  foreignKey('connections', 'proxy_id', 'proxies'),
  foreignKey('proxies', 'connection_id', 'connections', 'deferrable initially deferred'),
];
const knownAccounts: Constraint = {
  name: 'accounts of transfers exist (trigger)',
  add: `create or replace function measured() returns trigger language plpgsql as $$
        begin
          if exists (select from inserted cross join lateral (values (debit_account_id), (credit_account_id)) as side (id)
                      where not exists (select from accounts where accounts.id = side.id)
                        and not exists (select from connections where escrow_account_id = side.id)) then
            raise exception 'no such account';
          end if;
          return null;
        end $$;
        create trigger measured after insert on transfers referencing new table as inserted
          for each statement execute function measured()`,
  drop: 'drop trigger if exists measured on transfers',
};
const nothing: Constraint = { name: 'no constraint (the error of the method)', add: 'select 1', drop: 'select 1' };
const exitExists = foreignKey('connections', 'exit_id', 'exits');
const candidates = [nothing, ...foreignKeys, combined('these three combined', foreignKeys), exitExists, knownAccounts];

const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
const database = await cloneDatabase(postgres.url, 'template1');
const bench = await openBench(database.url, {
  gateways: GATEWAYS,
  connectionsPerGateway: 500,
  freeProxies: (2 * pairs * candidates.length + 1) * (PURCHASES + WARMING_PURCHASES) + 2000,
  storedConnections: STORED_CONNECTIONS,
});
const client = new pg.Client({ connectionString: database.url });
await client.connect();
for (const { drop } of candidates) await client.query(drop);

/** CPU time in milliseconds per purchase and per charge. */
interface Cost {
  purchase: number;
  charge: number;
}

const series = candidates.map(() => ({ withConstraint: [] as Cost[], withoutConstraint: [] as Cost[] }));
await measure(); // Warm-up of plans and pages.
for (let pair = 0; pair < pairs; pair++)
  for (const [index, constraint] of candidates.entries()) {
    const { withConstraint, withoutConstraint } = series[index]!;
    if (pair % 2 === 0) withConstraint.push(await measure(constraint));
    withoutConstraint.push(await measure());
    if (pair % 2 === 1) withConstraint.push(await measure(constraint));
  }
const whole = { purchase: await wholePurchase(), charge: Number.NaN };
whole.charge = quartile(
  series.flatMap(({ withoutConstraint }) => withoutConstraint),
  'charge',
);
console.log(`a whole purchase ${whole.purchase.toFixed(3)} ms, a charge ${whole.charge.toFixed(4)} ms; ${pairs} pairs`);
console.log(`${''.padEnd(50)}${'purchase'.padStart(24)}${'charge'.padStart(24)}`);
for (const [index, { name }] of candidates.entries())
  console.log(name.padEnd(50) + show(index, 'purchase') + show(index, 'charge'));
await client.end();
await bench.close();
await database.drop();
await postgres.stop();
process.exit(0);

async function measure(constraint?: Constraint): Promise<Cost> {
  if (constraint) await client.query(constraint.add);
  // After a change of constraints the server has to plan again.
  await buy(WARMING_PURCHASES);
  const purchase = await cpuOf(() => buy(PURCHASES));
  await charge();
  const charges = await cpuOf(charge);
  if (constraint) await client.query(constraint.drop);
  return { purchase: purchase / PURCHASES, charge: charges / (GATEWAYS * 500) };
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const server = await openCpuClock(bench.ctx);
  const before = server();
  await work();
  return server() - before;
}

/** Includes the CPU time of this process, which runs the API's code. */
async function wholePurchase(): Promise<number> {
  const costs: number[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const own = process.cpuUsage();
    const server = await cpuOf(async () => {
      for (let bought = 0; bought < 100; bought++)
        await connect(bench.ctx, bench.actors[bought]!, { id: takeProxies(1)[0]!, price: PRICE_DOLLARS }, null);
    });
    const { user, system } = process.cpuUsage(own);
    costs.push((server + (user + system) / 1000) / 100);
  }
  return sorted(costs)[Math.floor(costs.length / 4)]!;
}

async function buy(count: number): Promise<void> {
  const actors = bench.actors.slice(0, count);
  await client.query(
    `select count((buy_proxy(proxy_id, $4, user_id, account_id, null, gen_random_uuid(), gen_random_uuid()::text, '', '',
                             1000000, 1000000)).outcome)
       from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as purchase (proxy_id, user_id, account_id)`,
    [
      takeProxies(count),
      actors.map(({ userId }) => userId),
      actors.map(({ accountId }) => accountId),
      toMicros(PRICE_DOLLARS),
    ],
  );
}

function takeProxies(count: number): string[] {
  const taken = bench.freeProxyIds.splice(-count);
  if (taken.length < count) throw new Error('the catalogue of the bench is sold out');
  return taken;
}

/** Charges one megabyte for each connection. */
async function charge(): Promise<void> {
  for (const gateway of bench.gateways) {
    gateway.usedBytes += MEGABYTE_BYTES;
    const usedBytes = BigInt(gateway.usedBytes);
    const wantedBytes = BigInt(MEGABYTE_BYTES);
    const reports = gateway.connectionIds.map((connectionId) => ({
      connectionId,
      usedBytes,
      uploadedBytes: 0n,
      wantedBytes,
      isExitLost: false,
    }));
    await settleReports(bench.ctx, gateway.runId, reports, 'report');
  }
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

function quartile(costs: readonly Cost[], kind: keyof Cost): number {
  return sorted(costs.map((cost) => cost[kind]))[Math.floor(costs.length / 4)]!;
}

function show(index: number, kind: keyof Cost): string {
  const { withConstraint, withoutConstraint } = series[index]!;
  const more = quartile(withConstraint, kind) - quartile(withoutConstraint, kind);
  const percent = (more / whole[kind]) * 100;
  return `${(more * 1000).toFixed(1)} us, ${percent >= 0 ? '+' : ''}${percent.toFixed(1)} %`.padStart(24);
}
