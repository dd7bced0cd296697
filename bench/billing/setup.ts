import { randomUUID } from 'node:crypto';
import type { Actor } from '../../api/src/actor.ts';
import { audit } from '../../api/src/audit.ts';
import { loadConfig } from '../../api/src/config.ts';
import { createCtx, type Ctx } from '../../api/src/ctx.ts';
import { openDatabase } from '../../api/src/db.ts';
import { createLog } from '../../api/src/log.ts';
import { migrate } from '../../api/src/migrate.ts';
import { registerNode } from '../../api/src/modules/metering/metering.service.ts';
import { openSession } from '../../api/src/modules/auth/sessions.service.ts';
import { connect } from '../../api/src/modules/connections/connections.service.ts';
import { settleReports } from '../../api/src/modules/connections/settlement.ts';
import { seedRoles } from '../../api/src/seed/roles.ts';

const MB = 1_048_576n;
const RUNS = 2;
export const PRICE_DOLLARS = 0.8;
/** What stands where a hash would: nobody can sign in with it. */
const NO_PASSWORD = 'none';

export interface Bench {
  ctx: Ctx;
  actors: Actor[];
  /** Proxies that nobody has bought yet; taken from the end. */
  freeProxyIds: string[];
  runs: { id: string; connectionIds: string[]; usedMegabytes: bigint }[];
  countDeadlocks(): Promise<bigint>;
  audit(): Promise<string[]>;
  close(): Promise<void>;
}

interface Sizes {
  users: number;
  proxies: number;
  openConnections: number;
}

/** A migrated database with rich users, a catalogue, and open connections that have used their prepaid megabytes. */
export async function openBench(databaseUrl: string, sizes: Sizes): Promise<Bench> {
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'a secret key for benchmarks, at least 32 characters',
    GATEWAY_TOKEN: 'gateway-token-of-the-bench',
    LOG_LEVEL: 'warn',
    PORT: '0',
  });
  await migrate(databaseUrl);
  const database = openDatabase(databaseUrl, 20);
  const ctx = createCtx(database, config, createLog('bench', 'warn', false));
  await seedRoles(ctx);
  await registerNode(ctx);
  const actors = await insertUsers(ctx, sizes.users);
  const freeProxyIds = await insertProxies(ctx, sizes.proxies);
  const runs = await openRuns(ctx, actors, freeProxyIds, sizes.openConnections);
  await ctx.db.query('analyze');
  return {
    ctx,
    actors,
    freeProxyIds,
    runs,
    countDeadlocks: async () => {
      const [row] = await database.query<{ deadlocks: bigint }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      );
      return row!.deadlocks;
    },
    audit: () => audit(ctx),
    close: () => database.close(),
  };
}

async function insertUsers(ctx: Ctx, count: number): Promise<Actor[]> {
  const rows = await ctx.db.query<{ userId: string; accountId: bigint }>(
    `with opened as (
       insert into accounts (kind) select 'USER' from generate_series(1, $1::int) returning id
     ), paid as (
       insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
       select 'bench:' || id, 1, id, 1000000000000, 'TOP_UP' from opened
     )
     insert into users (email, password_hash, language_code, referral_code, account_id, email_confirmed_at)
     select 'user' || id || '@example.com', $2, 'en', 'BENCH' || id, id, now() from opened
     returning id as "userId", account_id as "accountId"`,
    [count, NO_PASSWORD],
  );
  await ctx.db.query("update accounts set balance_micros = 1000000000000 where kind = 'USER'");
  await ctx.db.query('update accounts set balance_micros = -1000000000000 * $1::bigint where id = 1', [count]);
  return rows.map((row) => ({
    ...row,
    sessionId: randomUUID(),
    languageCode: 'en',
    permissions: new Set(),
    isSecondFactorDue: false,
  }));
}

async function insertProxies(ctx: Ctx, count: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit)
     select '10.0.0.0'::inet + n, 800000, 'DE', 'region ' || n % 16, 'city ' || n % 200, 'zip ' || n % 5000,
            'isp ' || n % 10, 'LTE', '{"kind":"local-address","address":null}'
       from generate_series(1, $1::int) as n returning id`,
    [count],
  );
  return rows.map((row) => row.id);
}

async function openRuns(
  ctx: Ctx,
  actors: readonly Actor[],
  freeProxyIds: string[],
  connectionCount: number,
): Promise<Bench['runs']> {
  const runs = Array.from({ length: RUNS }, () => ({
    id: randomUUID(),
    connectionIds: [] as string[],
    usedMegabytes: 50n,
  }));
  await ctx.db.query(
    'insert into gateway_runs (id, node_id) select run, id from gateway_nodes, unnest($1::uuid[]) as run',
    [runs.map((run) => run.id)],
  );
  for (let index = 0; index < connectionCount; index++) {
    const connection = await connect(
      ctx,
      actors[index % actors.length]!,
      { id: freeProxyIds.pop()!, price: PRICE_DOLLARS },
      null,
    );
    runs[index % RUNS]!.connectionIds.push(connection.id);
  }
  for (const run of runs) {
    const reports = (usedBytes: bigint) =>
      run.connectionIds.map((connectionId) => ({
        connectionId,
        usedBytes,
        uploadedBytes: 0n,
        wantedBytes: MB,
        isExitLost: false,
      }));
    await settleReports(ctx, run.id, reports(0n), 'open');
    await settleReports(ctx, run.id, reports(50n * MB), 'report');
  }
  return runs;
}

/** What makes requests a user's. */
export async function signInAs({ ctx }: Bench, userId: string): Promise<{ authorization: string }> {
  const user = { userId, email: '', passwordHash: NO_PASSWORD, languageCode: 'en', hasSecondFactor: false } as const;
  const session = await openSession(ctx, user, { ip: '127.0.0.1', userAgent: 'bench', requestId: '' });
  return { authorization: `Bearer ${session!.accessToken}` };
}
