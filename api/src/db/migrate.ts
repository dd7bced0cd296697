import { commandLine } from '@cellhop/contract/command-line';
import { runMigrations } from 'graphile-worker';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { packagePath } from '../process/package-path.ts';
import { BoundedClient, connectionOptions } from './database-connection.ts';
import { applySqlTexts, listOutdated } from './sql-texts.ts';

const migrationsDirectory = packagePath('migrations/');
const sqlDirectory = packagePath('sql/');
/** The first migration of the first release. */
const BASELINE = '0001_baseline.sql';
const LOCK_ID = 727_001;
/** Migrations that build indexes concurrently, which must run outside a transaction. */
const OUTSIDE_TRANSACTION = /_concurrently\.sql$/;
/** lock_not_available, deadlock_detected: rolled back, so they can be retried. */
const RETRIED_STATES = new Set(['55P03', '40P01']);
/** Statement timeout: a migration may read a large table. */
const TIME_LIMIT_MS = 3_600_000;
const PENDING_LIMIT_MS = 8000;
export const LOCK_TIMEOUT_MS = 2000;

export interface MigrationOptions {
  directory?: URL;
  /** Directory of functions and views. Null: they stay as the migrations leave them. */
  sql?: URL | null;
  /** How long a statement may wait for its lock. Meanwhile later statements on the table wait as well. */
  lockTimeoutMs?: number;
  /** Pauses between attempts, in which other statements proceed; the last one is repeated. */
  pausesMs?: readonly number[];
  /** Fails after this time without the locks, or while another process migrates. */
  waitLimitMs?: number;
}

/**
 * Applies `migrations/NNNN_*.sql` in order, each in a transaction (those named `_concurrently` index by index), then the changed
 * functions and views of `sql/`, then the job runner's own schema. Safe to run from several processes at once, and while the system
 * is in use.
 * @returns the names of the applied migrations
 * @throws Error if a migration fails, does not get its locks, or was edited after it had been applied, or if the database is older than
 *   the first release
 */
export async function migrate(
  databaseUrl: string,
  {
    directory = migrationsDirectory,
    sql = directory === migrationsDirectory ? sqlDirectory : null,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    pausesMs = [1000, 2000, 4000, 8000],
    waitLimitMs = 900_000,
  }: MigrationOptions = {},
): Promise<string[]> {
  const bounded = connectionOptions(databaseUrl, TIME_LIMIT_MS);
  const pool = new pg.Pool({
    ...bounded,
    Client: BoundedClient,
    max: 2,
    options: `${bounded.options} -c lock_timeout=${lockTimeoutMs}`,
  });
  pool.on('error', () => {}); // The running query rejects anyway; without a handler the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const deadline = performance.now() + waitLimitMs;
  const retry = <T>(name: string, work: () => Promise<T>) => retryUntilLocked(name, work, pausesMs, deadline);
  let client: pg.PoolClient | undefined;
  try {
    client = await pool.connect();
    await waitForMigrationLock(client, deadline);
    const applied = await applyAll(client, directory, retry);
    if (sql) applied.push(...(await applySqlTexts(client, sql, retry)));
    await retry("of the job runner's tables", () => runMigrations({ pgPool: pool }));
    return applied;
  } finally {
    // Closing the connection releases the advisory lock.
    client?.release(true);
    await pool.end();
  }
}

/** @returns the names of what `migrate` would apply. Changes nothing */
export async function listPending(databaseUrl: string): Promise<string[]> {
  const client: pg.Client = new BoundedClient(connectionOptions(databaseUrl, PENDING_LIMIT_MS, true));
  client.on('error', () => {});
  await client.connect();
  try {
    const has = async (table: string) =>
      (await client.query<{ isThere: boolean }>(`select to_regclass($1) is not null as "isThere"`, [table])).rows[0]!
        .isThere;
    const known = (await has('schema_migrations')) ? await readApplied(client) : new Map<string, string>();
    const migrations = (await listMigrations()).filter((name) => !known.has(name));
    const texts = (await has('sql_texts')) ? await listOutdated(client, sqlDirectory) : [{ name: 'sql_texts' }];
    return [...migrations, ...texts.map(({ name }) => name)];
  } finally {
    await client.end();
  }
}

/** @param pending what `listPending` returns, or migrations alone */
export function describePending(pending: readonly string[]): string {
  return (
    `The database has not the schema of this release: ${pending.length} changes are missing, the first is ${pending[0]}. ` +
    `To make them: ${commandLine('migrate')}`
  );
}

type Retry = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Takes the advisory lock, so that one process migrates at a time. Polls, because `create index concurrently` would wait for a
 * statement that blocks on the lock.
 */
async function waitForMigrationLock(client: pg.PoolClient, deadline: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isMine: boolean }>('select pg_try_advisory_lock($1) as "isMine"', [LOCK_ID]);
    if (rows[0]!.isMine) return;
    if (performance.now() > deadline) throw new Error('Timed out: another process is still migrating the database');
    await pause(200);
  }
}

async function retryUntilLocked<T>(
  name: string,
  work: () => Promise<T>,
  pausesMs: readonly number[],
  deadline: number,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      if (!(cause instanceof pg.DatabaseError && RETRIED_STATES.has(cause.code ?? ''))) throw error;
      if (performance.now() > deadline)
        throw new Error(
          `Migration ${name} did not get its locks, because a long-running transaction holds them. Find it in pg_stat_activity, end it, and start again.`,
          { cause: error },
        );
    }
    await pause(pausesMs[Math.min(attempt, pausesMs.length - 1)]);
  }
}

async function applyAll(client: pg.PoolClient, directory: URL, retry: Retry): Promise<string[]> {
  await client.query(
    'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  );
  const known = await readApplied(client);
  if (known.size > 0 && !known.has(BASELINE))
    throw new Error(
      'A development version before 0.1.0 has created this database, and there is no upgrade from it. Delete the directory .data, or set DATABASE_URL to an empty database.',
    );
  const applied: string[] = [];
  for (const name of await listMigrations(directory)) {
    const text = await readFile(new URL(name, directory), 'utf8');
    const sha256 = createHash('sha256').update(text).digest('hex');
    if (known.get(name) === sha256) continue;
    if (known.has(name)) throw new Error(`Migration ${name} was edited after it had been applied`);
    const record = async () => {
      await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);
    };
    await retry(name, () => applyOne(client, name, text, record));
    applied.push(name);
  }
  return applied;
}

/** @returns names and hashes */
async function readApplied(client: pg.ClientBase): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations');
  return new Map(rows.map((row) => [row.name, row.sha256]));
}

export async function listMigrations(directory = migrationsDirectory): Promise<string[]> {
  return (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
}

async function applyOne(client: pg.PoolClient, name: string, text: string, record: () => Promise<void>): Promise<void> {
  try {
    if (OUTSIDE_TRANSACTION.test(name)) {
      await buildIndexes(client, text);
      await record();
    } else {
      await client.query('begin');
      await client.query(text);
      await record();
      await client.query('commit');
    }
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw new Error(`Migration ${name} failed: ${String(error)}`, { cause: error });
  }
}

const COMMENT = /--.*$/gm;
const INDEX = /^create\s+(?:unique\s+)?index\s+concurrently\s+([a-z0-9_]+)\s+on\s/i;
/**
 * While it waits for older transactions it blocks no other process, and giving up would mean starting over, so the limit is long. There is
 * one, because a transaction may have been left open.
 */
const WAIT_LIMIT = '30min';

/**
 * Builds the indexes of a file one after the other. It can be repeated: it keeps the indexes that are complete, and rebuilds the
 * invalid index that an interrupted attempt left.
 * @throws Error if the file has any other statement
 */
async function buildIndexes(client: pg.ClientBase, text: string): Promise<void> {
  const statements = text
    .replaceAll(COMMENT, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const indexes = statements.map((statement) => {
    const name = INDEX.exec(statement)?.[1];
    if (name === undefined) throw new Error(`"${statement}" is not "create index concurrently <name> on ..."`);
    return { name, statement };
  });
  const { rows } = await client.query<{ lockTimeout: string }>(
    `select current_setting('lock_timeout') as "lockTimeout"`,
  );
  await client.query(`select set_config('lock_timeout', $1, false)`, [WAIT_LIMIT]);
  try {
    for (const { name, statement } of indexes) await buildIndex(client, name, statement);
  } finally {
    await client.query(`select set_config('lock_timeout', $1, false)`, [rows[0]!.lockTimeout]).catch(() => {});
  }
}

async function buildIndex(client: pg.ClientBase, name: string, statement: string): Promise<void> {
  const { rows } = await client.query<{ isValid: boolean }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0]?.isValid) return;
  if (rows[0]) await client.query(`drop index concurrently ${name}`);
  await client.query(statement);
}
