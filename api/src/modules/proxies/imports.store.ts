import type { ChangeCounts } from '@cellhop/contract/staff/inventory';
import type { Ctx } from '../../ctx.ts';
import { placeSql } from '../../db/place-columns.ts';

export async function readNodes(ctx: Ctx): Promise<Map<string, string>> {
  const rows = await ctx.db.query<{ id: string; name: string }>('select id, name from readable_gateway_nodes');
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** Where the customers of each node connect to; null: as the settings say. */
export function readNodePlaces(ctx: Ctx): Promise<{ id: string; host: string | null; port: number | null }[]> {
  return ctx.db.query('select id, public_host as host, public_port as port from readable_gateway_nodes');
}

/** Deletes the actor's earlier files that were checked but not ordered: only the last one is kept. */
export async function forgetOthers(ctx: Ctx, actorId: string | null): Promise<void> {
  await ctx.db.query(
    `delete from catalogue_imports
      where actor_id is not distinct from $1 and applied_at is null
        and not exists (
          select from catalogue_changes where ended_at is null and kind = 'IMPORT' and request ->> 'importId' = catalogue_imports.id::text)`,
    [actorId],
  );
}

export interface NewImport {
  actorId: string | null;
  fileName: string;
  sha256: Buffer;
}

export async function insertImport(ctx: Ctx, { actorId, fileName, sha256 }: NewImport): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into catalogue_imports (actor_id, file_name, content_sha256, new_count, changed_count, unchanged_count)
     values ($1, $2, $3, 0, 0, 0) returning id`,
    [actorId, fileName, sha256],
  );
  return row!.id;
}

export const required = ['price_micros', ...placeSql.flatMap(({ sql, isRequired }) => (isRequired ? sql : []))];
/** What a file may say nothing about: null, and then it stays as it is. An empty text or 0 stands for none. */
export const optional = [
  ...placeSql.filter(({ isRequired }) => !isRequired),
  { sql: 'port_rule', type: 'text' },
  { sql: 'tunnels_max', type: 'integer' },
  { sql: 'bytes_per_second_max', type: 'integer' },
];
const chosen = ({ sql, type }: (typeof optional)[number]) =>
  `case when file.${sql} is null then proxies.${sql} else nullif(file.${sql}, ${type === 'text' ? `''` : '0'}) end`;
const VALUES = [
  ...required.map((column) => `file.${column}`),
  ...optional.map(chosen),
  'coalesce(file.kept_exit_id, found.id)',
].join(', ');
/** What an import writes, apart from the address that finds a proxy. */
const written = [...required, ...optional.map(({ sql }) => sql), 'exit_id'];
const WRITTEN = written.join(', ');
const writtenOf = (table: string) => written.map((column) => `${table}.${column}`).join(', ');

/**
 * The rows of a file with the proxies that they mean: by the address that a row promises, or else by its exit. An exit that its node does
 * not have yet is null.
 */
const COMPARED = `
  select file.id as row_id, file.ip, proxies.id as proxy_id, wanted.*, proxies.id is null as is_new,
         proxies.id is not null
           and (wanted.exit_id is null or rotation is not null or (${writtenOf('proxies')}) is distinct from (${writtenOf('wanted')})) as is_changed
    from catalogue_import_rows as file
    left join lateral (
      select exits.id from readable_exits as exits
       where file.kept_exit_id is null and exits.node_id = file.node_id and exits.key = any (file.exit_keys) order by exits.key limit 1
    ) as found on true
    left join lateral (
      select * from proxies where proxies.ip = file.ip
       union all
      (select * from proxies where file.ip is null and proxies.exit_id = coalesce(file.kept_exit_id, found.id) limit 1)
    ) as proxies on true
   cross join lateral (select ${VALUES}) as wanted (${WRITTEN})
   where import_id = $1`;

type ProxyCounts = Omit<ChangeCounts, 'waitingCount'>;
const COUNTS = `count(*) filter (where is_new)::int as "newCount", count(*) filter (where is_changed)::int as "changedCount",
  count(*) filter (where not is_new and not is_changed)::int as "unchangedCount"`;

/** Statistics of a staged file are never older than its rows. */
export async function analyzeRows(ctx: Ctx): Promise<void> {
  await ctx.db.query('analyze catalogue_import_rows, catalogue_import_waiting');
}

export async function countChanges(ctx: Ctx, importId: string): Promise<ProxyCounts> {
  const [row] = await ctx.db.query<ProxyCounts>(`select ${COUNTS} from (${COMPARED}) as compared`, [importId], {
    isPrepared: false,
  });
  return row!;
}

export async function saveCounts(ctx: Ctx, importId: string, counts: ChangeCounts): Promise<void> {
  await ctx.db.query(
    'update catalogue_imports set new_count = $2, changed_count = $3, unchanged_count = $4, waiting_count = $5 where id = $1',
    [importId, counts.newCount, counts.changedCount, counts.unchangedCount, counts.waitingCount],
  );
}

export async function deleteImport(ctx: Ctx, importId: string): Promise<void> {
  await ctx.db.query('delete from catalogue_imports where id = $1', [importId]);
}

export interface StoredImport extends ChangeCounts {
  fileName: string;
  sha256: Buffer;
  isApplied: boolean;
}

export async function findImport(ctx: Ctx, id: string, actorId: string | null): Promise<StoredImport | undefined> {
  const [row] = await ctx.db.query<StoredImport>(
    `select file_name as "fileName", content_sha256 as sha256, applied_at is not null as "isApplied", new_count as "newCount",
            changed_count as "changedCount", unchanged_count as "unchangedCount", waiting_count as "waitingCount"
       from catalogue_imports where id = $1 and actor_id is not distinct from $2`,
    [id, actorId],
  );
  return row;
}

export async function addExits(ctx: Ctx, importId: string): Promise<void> {
  await ctx.db.query('select add_import_exits($1)', [importId]);
}

export interface WrittenRows {
  written: number;
  /** The last row of the batch; null after the last batch. */
  lastId: string | null;
}

/** Writes the rows that differ among the next `limit` ones of a file. */
export async function writeRows(ctx: Ctx, importId: string, afterId: string, limit: number): Promise<WrittenRows> {
  const [row] = await ctx.db.query<WrittenRows>(
    `with batch as (
       select id from catalogue_import_rows where import_id = $1 and id > $2::bigint order by id limit $3
     ), compared as materialized (
       select * from (${COMPARED} and file.id in (select id from batch)) as compared where is_new or is_changed
     ), changed as (
       update proxies set (${WRITTEN}) = (${writtenOf('compared')}) from compared where proxies.id = compared.proxy_id returning 1
     ), added as (
       insert into proxies (ip, ${WRITTEN}) select ip, ${WRITTEN} from compared where is_new order by ip returning 1
     )
     select (select count(*)::int from compared) as written, (select max(id)::text from batch) as "lastId"`,
    [importId, afterId, limit],
    { isPrepared: false },
  );
  return row!;
}

export async function markApplied(ctx: Ctx, importId: string): Promise<void> {
  await ctx.db.query('update catalogue_imports set applied_at = now() where id = $1', [importId]);
  await ctx.db.query('delete from catalogue_import_rows where import_id = $1', [importId]);
}

const deletingOld = (table: string) => `
  delete from ${table} where ctid = any (array(
    select file.ctid from ${table} as file join catalogue_imports on catalogue_imports.id = import_id
     where created_at < now() - interval '1 day' limit $1
  )) returning import_id`;

/** Deletes rows first, because an import may have two hundred thousand of them. */
export async function deleteOldRows(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(deletingOld('catalogue_import_rows'), [limit]);
  return rows.length + (await ctx.db.query(deletingOld('catalogue_import_waiting'), [limit])).length;
}

/** Applied imports are kept for a month, so that a repeated request returns their counts. */
export async function deleteOldImports(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from catalogue_imports where id in (
       select id from catalogue_imports
        where created_at < now() - interval '1 day' and (applied_at is null or created_at < now() - interval '30 days') limit $1
     ) returning id`,
    [limit],
  );
  return rows.length;
}
