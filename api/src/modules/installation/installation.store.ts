import type { Ctx } from '../../ctx.ts';

export interface Installation {
  migrations: string[];
  /** Null before the first start of a release that records them. */
  oldestRelease: number[] | null;
  newestRelease: number[] | null;
  keyFingerprint: Buffer | null;
}

/** @returns undefined if the schema is from before this table */
export async function readInstallation(
  ctx: Ctx,
  limit: { responseTimeoutMs?: number },
): Promise<Installation | undefined> {
  const [table] = await ctx.db.query<{ isThere: boolean }>(
    `select to_regclass('installation') is not null as "isThere"`,
    [],
    limit,
  );
  if (!table!.isThere) return undefined;
  const [row] = await ctx.db.query<Installation>(
    `select array(select name from schema_migrations) as migrations, oldest_release as "oldestRelease",
            newest_release as "newestRelease", key_fingerprint as "keyFingerprint"
       from (select) as always left join installation on true`,
    [],
    limit,
  );
  return row;
}

/** @returns as PostgreSQL estimates it; undefined without the table */
export async function readTableSize(ctx: Ctx, table: string): Promise<{ rows: number; megabytes: number } | undefined> {
  const [size] = await ctx.db.query<{ rows: number; megabytes: number }>(
    `select greatest(reltuples, 0)::float8 as rows, round(pg_table_size(oid) / 1e6)::float8 as megabytes
       from pg_class where oid = to_regclass($1)`,
    [table],
  );
  return size;
}

/** A process of the previous release that starts again changes nothing. */
export async function saveStart(ctx: Ctx, oldest: number[], own: number[], keyFingerprint: Buffer): Promise<void> {
  await ctx.db.query(
    `insert into installation as stored (oldest_release, newest_release, key_fingerprint) values ($1, $2, $3)
     on conflict (is_only) do update
       set oldest_release = greatest(stored.oldest_release, excluded.oldest_release),
           newest_release = greatest(stored.newest_release, excluded.newest_release),
           key_fingerprint = coalesce(stored.key_fingerprint, excluded.key_fingerprint)`,
    [oldest, own, keyFingerprint],
  );
}

export async function saveKey(ctx: Ctx, keyFingerprint: Buffer): Promise<void> {
  await ctx.db.query('update installation set key_fingerprint = $1 where key_fingerprint is distinct from $1', [
    keyFingerprint,
  ]);
}
