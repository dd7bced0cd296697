/** What a manifest says about a database, and what a restore finds in one. */
import pg from 'pg';
import type { Ctx } from '../ctx.ts';

/** Rows of each table of this service. */
export async function countRows(ctx: Ctx): Promise<Record<string, number>> {
  const tables = await ctx.db.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    // The name is that of a table of this database, and no value of anybody.
    const [row] = await ctx.db.query<{ count: bigint }>(
      `select count(*) as count from public.${pg.escapeIdentifier(name)}`,
    );
    counts[name] = Number(row!.count);
  }
  return counts;
}

interface Facts {
  migrations: string[];
  accounts: string[];
  /** Of the key that the database was made with, hex; null before its first start. */
  secret: string | null;
}

export async function readFacts(ctx: Ctx): Promise<Facts> {
  const [row] = await ctx.db.query<Facts>(
    `select array(select name from schema_migrations order by name) as migrations,
            array(select address_space || ' ' || fingerprint from wallet_accounts where fingerprint <> 'sandbox' order by 1) as accounts,
            (select encode(key_fingerprint, 'hex') from installation) as secret`,
  );
  return row!;
}

/** Makes all statements of the transaction, and the dump, see the same moment. @returns the snapshot for pg_dump */
export async function exportSnapshot(ctx: Ctx): Promise<string> {
  await ctx.db.query('set transaction isolation level repeatable read');
  // The dump takes longer than an abandoned transaction may live.
  await ctx.db.query('set local idle_in_transaction_session_timeout = 0');
  const [row] = await ctx.db.query<{ id: string }>('select pg_export_snapshot() as id');
  return row!.id;
}

/** What is in the database that a restore shall fill. */
export async function readTarget(ctx: Ctx): Promise<{ tableCount: number; isRunning: boolean; newestAt: Date | null }> {
  const [tables] = await ctx.db.query<{ count: number; isOurs: boolean }>(
    `select count(*)::int as count, to_regclass('public.listening') is not null as "isOurs"
       from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  if (!tables!.isOurs) return { tableCount: tables!.count, isRunning: false, newestAt: null };
  const [row] = await ctx.db.query<{ isRunning: boolean; newestAt: Date | null }>(
    `select coalesce((select seen_at > now() - interval '15 seconds' from listening), false) as "isRunning",
            greatest((select max(created_at) from transfers), (select max(created_at) from users)) as "newestAt"`,
  );
  return { tableCount: tables!.count, ...row! };
}
