import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { BoundedClient, connectionOptions } from './database-connection.ts';

/** The source runs from `src/`, the bundle from `dist/`: both lie beside `migrations/`. */
const directory = new URL('../migrations/', import.meta.url);
const LOCK_ID = 727_001;
/** Of one migration, which may rewrite a large table, and of the wait for another process that migrates. */
const TIME_LIMIT_MS = 3_600_000;

/**
 * Applies `migrations/NNNN_*.sql` in order, each in a transaction, and the job runner's own schema.
 * Safe to run from several processes at once.
 * @returns the names applied now
 * @throws Error if a migration fails or was edited after it had been applied
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new BoundedClient(connectionOptions(databaseUrl, TIME_LIMIT_MS));
  client.on('error', () => {}); // The query that runs then rejects; the event alone would end the process.
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK_ID]);
    const applied = await applyAll(client);
    await runMigrations({ connectionString: databaseUrl });
    return applied;
  } finally {
    await client.end();
  }
}

async function applyAll(client: pg.Client): Promise<string[]> {
  await client.query(
    'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  );
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations');
  const known = new Map(rows.map((row) => [row.name, row.sha256]));
  const applied: string[] = [];
  for (const name of (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort()) {
    const text = await readFile(new URL(name, directory), 'utf8');
    const sha256 = createHash('sha256').update(text).digest('hex');
    if (known.get(name) === sha256) continue;
    if (known.has(name)) throw new Error(`Migration ${name} was edited after it had been applied`);
    await applyOne(client, name, text, sha256);
    applied.push(name);
  }
  return applied;
}

async function applyOne(client: pg.Client, name: string, text: string, sha256: string): Promise<void> {
  await client.query('begin');
  try {
    await client.query(text);
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${name} failed: ${String(error)}`, { cause: error });
  }
}
