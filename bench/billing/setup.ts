import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Actor } from '../../api/src/http/actor.ts';
import { checkInvariants } from '../../api/src/db/check-invariants.ts';
import { loadConfig } from '../../api/src/process/config.ts';
import { createCtx, type Ctx } from '../../api/src/ctx.ts';
import { openDatabase } from '../../api/src/db/db.ts';
import { createLog } from '../../api/src/process/log.ts';
import { migrate } from '../../api/src/db/migrate.ts';
import { registerNode } from '../../api/src/modules/gateway/gateway.service.ts';
import { openSession } from '../../api/src/modules/auth/sessions.service.ts';
import * as ledger from '../../api/src/modules/ledger/ledger.service.ts';
import type { VerifiedMark } from '../../api/src/db/invariant.ts';
import { seedRoles } from '../../api/src/seed/roles.ts';
import { insertEndedConnections } from './stored.ts';

export const PRICE_DOLLARS = 0.8;
/** A placeholder instead of a hash: nobody can sign in with it. */
const NO_PASSWORD = 'none';
export const GATEWAY_TOKEN = 'gateway-token-of-the-bench';
const PREPAID_BYTES = 50 * 1_048_576;

/** One gateway run. All of its connections have used the same number of bytes. */
export interface Gateway {
  runId: string;
  connectionIds: string[];
  usedBytes: number;
}

export interface Bench {
  ctx: Ctx;
  actors: Actor[];
  /** Unsold proxies; taken from the end. */
  freeProxyIds: string[];
  gateways: Gateway[];
  countDeadlocks(): Promise<number>;
  checkInvariants(): Promise<string[]>;
  close(): Promise<void>;
}

export interface Sizes {
  gateways: number;
  connectionsPerGateway: number;
  freeProxies: number;
  /** Existing ended connections, each with ten transfers. */
  storedConnections: number;
}

/**
 * Prepares a migrated database with open connections that have used their prepaid megabytes, each with a separate payer: each
 * report then charges one megabyte to one account.
 */
export async function openBench(databaseUrl: string, sizes: Sizes): Promise<Bench> {
  const { ctx, database } = await openContext(databaseUrl);
  await seedRoles(ctx);
  await registerNode(ctx);

  // Not the pool, because its statements have a timeout.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const openConnections = sizes.gateways * sizes.connectionsPerGateway;
  const actors = await insertUsers(client, openConnections);
  await insertProxies(client, openConnections + sizes.freeProxies);
  // Plans need statistics of the catalogue, as autovacuum collects them in production.
  await client.query('analyze');
  const gateways = await readOpenConnections(client, sizes.gateways);
  await insertEndedConnections(client, sizes.storedConnections);
  const free = await client.query<{ id: string }>('select id from proxies where connection_id is null');
  const verified = await rememberAsVerified(ctx);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
  return {
    ctx,
    actors,
    freeProxyIds: free.rows.map((row) => row.id),
    gateways,
    countDeadlocks: async () => {
      const [row] = await database.query<{ deadlocks: bigint }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      );
      return Number(row!.deadlocks);
    },
    checkInvariants: () => checkInvariants(ctx, verified),
    close: () => database.close(),
  };
}

/** Migrates a database and opens it as the API does. */
async function openContext(databaseUrl: string) {
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'a secret key for benchmarks of at least 32 characters',
    GATEWAY_TOKEN,
    LOG_LEVEL: 'error',
    PORT: '0',
    // A few users make all purchases; the limits still count them.
    OPEN_CONNECTIONS_MAX: '1000000',
    PURCHASES_PER_HOUR: '1000000',
  });
  await migrate(databaseUrl);
  const database = openDatabase(databaseUrl, 20);
  return { ctx: createCtx(database, config, createLog('bench', 'error', false)), database };
}

/** The receipts of inserted connections are fake, so the invariant check starts after them, like an incremental one in production. */
async function rememberAsVerified(ctx: Ctx): Promise<VerifiedMark> {
  const [newest] = await ctx.db.query<{ id: bigint }>('select max(id) as id from transfers');
  await ledger.updateStoredSums(ctx, newest!.id);
  return { transferId: newest!.id, until: new Date() };
}

async function insertUsers(client: pg.Client, count: number): Promise<Actor[]> {
  const { rows } = await client.query<{ userId: string; accountId: string }>(
    `with opened as (
       insert into accounts (kind, balance_micros) select 'USER', 1000000000000 from generate_series(1, $1::int)
       returning id
     ), paid as (
       insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
       select 'bench:' || id, 1, id, 1000000000000, 'TOP_UP' from opened
     )
     insert into users (email, password_hash, language_code, referral_code, account_id, email_confirmed_at)
     select 'user' || id || '@example.com', $2, 'en', 'BENCH' || id, id, now() from opened
     returning id as "userId", account_id as "accountId"`,
    [count, NO_PASSWORD],
  );
  await client.query('update accounts set balance_micros = -1000000000000 * $1::bigint where id = 1', [count]);
  return rows.map(({ userId, accountId }) => ({
    userId,
    accountId: BigInt(accountId),
    sessionId: randomUUID(),
    languageCode: 'en',
    permissions: new Set(),
    isSecondFactorDue: false,
  }));
}

async function insertProxies(client: pg.Client, count: number): Promise<void> {
  await client.query(
    `insert into exits (node_id, kind, key, parameters)
     select id, 'local-address', 'local-address://', '{"address": null}' from gateway_nodes`,
  );
  await client.query(`update exit_checks set health = 'HEALTHY'`);
  await client.query(
    `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
     select '10.0.0.0'::inet + n, 800000, 'DE', 'region ' || n % 16, 'city ' || n % 200, 'zip ' || n % 5000,
            'isp ' || n % 10, 'LTE', exits.id
       from exits cross join generate_series(1, $1::int) as n`,
    [count],
  );
}

/** Each user buys one proxy and uses the prepaid megabytes through one of the gateways. */
async function readOpenConnections(client: pg.Client, gatewayCount: number): Promise<Gateway[]> {
  await client.query(
    `with buyer as (select row_number() over () as n, id, account_id from users),
          wanted as (select row_number() over () as n, id from proxies)
     select (buy_proxy(wanted.id, 800000, buyer.id, account_id, null, gen_random_uuid(), 'user' || buyer.n, '', '', 1, 1)).outcome
       from buyer join wanted using (n)`,
  );
  await client.query('update connections set used_bytes = $1, granted_bytes = $1', [PREPAID_BYTES]);
  const { rows } = await client.query<{ runId: string; connectionIds: string[] }>(
    `with run as (
       insert into gateway_runs (id, node_id)
       select gen_random_uuid(), id from gateway_nodes, generate_series(1, $1::int) returning id
     ), numbered_run as (
       select id, row_number() over () as n from run
     ), numbered as (
       select id, ntile($1::int) over (order by id) as n from connections
     ), opened as (
       insert into connection_runs (connection_id, run_id, used_bytes, granted_bytes)
       select numbered.id, numbered_run.id, $2::bigint, $2::bigint from numbered join numbered_run using (n)
       returning connection_id, run_id
     )
     select run_id as "runId", array_agg(connection_id::text) as "connectionIds" from opened group by run_id`,
    [gatewayCount, PREPAID_BYTES],
  );
  return rows.map((row) => ({ ...row, usedBytes: PREPAID_BYTES }));
}

/** Signs a user in. @returns the headers of their requests */
export async function signInAs({ ctx }: Bench, userId: string): Promise<{ authorization: string }> {
  const user = { userId, email: '', passwordHash: NO_PASSWORD, languageCode: 'en', hasSecondFactor: false } as const;
  const session = await openSession(ctx, user, { ip: '127.0.0.1', userAgent: 'bench', requestId: '' });
  return { authorization: `Bearer ${session!.accessToken}` };
}
