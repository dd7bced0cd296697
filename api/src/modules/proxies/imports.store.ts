import type { ChangeCounts } from '@cellhop/contract/staff/inventory';
import type { Ctx } from '../../ctx.ts';
import { placeSql } from '../../db/place-columns.ts';
import type { ImportRow } from './import-rows.ts';

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

/** What finds the exit at its node: its key with the hash of its credentials, by each key of the setting, the newest first. */
export interface StagedCredentials {
  keys: string[];
  encrypted: Buffer | null;
  hashes: Buffer[] | null;
}

export interface StagedRow extends ImportRow, StagedCredentials {
  /** The exit whose credentials stay. */
  keptExitId: string | undefined;
}

/** Finds the current exits of proxies that are those of the rows, regardless of their credentials. @returns exits by the address of the proxy */
export async function findKeptExits(ctx: Ctx, rows: readonly ImportRow[]): Promise<Map<string, string>> {
  const found = await ctx.db.query<{ ip: string; exitId: string }>(
    `select host(proxies.ip) as ip, exits.id as "exitId"
       from unnest($1::inet[], $2::uuid[], $3::text[]) as file (ip, node_id, key)
       join proxies on proxies.ip = file.ip
       join readable_exits as exits on exits.id = proxies.exit_id
      where exits.node_id = file.node_id and split_part(exits.key, '#', 1) = file.key and has_credentials`,
    [rows.map(({ ip }) => ip), rows.map(({ nodeId }) => nodeId), rows.map(({ exit }) => exit.key)],
  );
  return new Map(found.map(({ ip, exitId }) => [ip, exitId]));
}

/** Encodes texts as that of an array, because `unnest` would flatten an array of arrays. */
const arrayText = (texts: readonly string[]) => `{${texts.map((text) => JSON.stringify(text)).join(',')}}`;

type StagedColumn = readonly [column: string, type: string, value: (row: StagedRow) => unknown];

/** The columns of staged lines with their types and values. */
const staged: readonly StagedColumn[] = [
  ['price_micros', 'bigint', ({ priceMicros }) => priceMicros],
  ...placeSql.map(({ name, sql, type }) => [sql, type, (row: StagedRow) => row[name]] as const),
  ['node_id', 'uuid', ({ nodeId }) => nodeId],
  ['exit_kind', 'exit_kind', ({ exitKind }) => exitKind],
  ['exit_keys', 'text[]', ({ keys }) => arrayText(keys)],
  ['exit_parameters', 'jsonb', ({ exit }) => JSON.stringify(exit.parameters)],
  ['credentials_encrypted', 'bytea', ({ encrypted }) => encrypted],
  [
    'credentials_hashes',
    'bytea[]',
    ({ hashes }) => hashes && arrayText(hashes.map((hash) => `\\x${hash.toString('hex')}`)),
  ],
  ['port_rule', 'text', ({ portRule }) => portRule],
  ['tunnels_max', 'integer', ({ tunnelsMax }) => tunnelsMax],
  ['bytes_per_second_max', 'integer', ({ bytesPerSecondMax }) => bytesPerSecondMax],
];

function stagingInto(table: string, columns: readonly StagedColumn[]) {
  const names = columns.map(([column]) => column).join(', ');
  const text = `
    insert into ${table} (import_id, ${names})
    select $1, ${columns.map(([column, type]) => `${column}::${type}`).join(', ')}
      from unnest(${columns.map((_, index) => `$${index + 2}::text[]`).join(', ')}) as file (${names})
        on conflict do nothing returning 1`;
  return async (ctx: Ctx, importId: string, rows: readonly StagedRow[]): Promise<number> => {
    const values = columns.map(([, , value]) => rows.map((row) => value(row) ?? null));
    return (await ctx.db.query(text, [importId, ...values])).length;
  };
}

/** @returns how many were stored: not those whose address another line of the file has */
export const insertRows = stagingInto('catalogue_import_rows', [
  ['ip', 'inet', ({ ip }) => ip],
  ...staged,
  ['kept_exit_id', 'uuid', ({ keptExitId }) => keptExitId],
]);
export const insertWaitingRows = stagingInto('catalogue_import_waiting', [
  ['line', 'integer', ({ line }) => line],
  ...staged,
]);

/** How many proxies use each exit, and the address of one of them. @returns by line; not of exits that their nodes do not have */
export async function findProxiesOfExits(
  ctx: Ctx,
  rows: readonly StagedRow[],
): Promise<Map<number, { ip: string; count: number }>> {
  const found = await ctx.db.query<{ line: number; ip: string; count: number }>(
    `select line, host(min(ip)) as ip, count(*)::int as count
       from unnest($1::int[], $2::uuid[], $3::text[]) as file (line, node_id, keys)
       join readable_exits as exits on exits.node_id = file.node_id and exits.key = any (file.keys::text[])
      cross join lateral (select ip from proxies where exit_id = exits.id order by ip limit 2) as proxies
      group by line`,
    [rows.map(({ line }) => line), rows.map(({ nodeId }) => nodeId), rows.map(({ keys }) => arrayText(keys))],
  );
  return new Map(found.map((row) => [row.line, row]));
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
  select file.ip, proxies.id as proxy_id, wanted.*, proxies.id is null as is_new,
         proxies.id is not null
           and (wanted.exit_id is null or (${writtenOf('proxies')}) is distinct from (${writtenOf('wanted')})) as is_changed
    from catalogue_import_rows as file
    left join lateral (
      select exits.id from readable_exits as exits
       where file.kept_exit_id is null and exits.node_id = file.node_id and exits.key = any (file.exit_keys) order by exits.key limit 1
    ) as found on true
    left join lateral (
      select * from proxies where proxies.ip = file.ip
       union all
      (select * from proxies
        where file.ip is null and proxies.ip is null and proxies.exit_id = coalesce(file.kept_exit_id, found.id) limit 1)
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
  /** The last address of the batch; null after the last batch. */
  lastIp: string | null;
}

/** Writes the rows that differ among the next `limit` ones of a file. */
export async function writeRows(
  ctx: Ctx,
  importId: string,
  afterIp: string | null,
  limit: number,
): Promise<WrittenRows> {
  const [row] = await ctx.db.query<WrittenRows>(
    `with batch as (
       select ip from catalogue_import_rows where import_id = $1 and ($2::inet is null or ip > $2) order by ip limit $3
     ), compared as materialized (
       select * from (${COMPARED} and file.ip in (select ip from batch)) as compared where is_new or is_changed
     ), changed as (
       update proxies set (${WRITTEN}) = (${writtenOf('compared')}) from compared where proxies.id = compared.proxy_id returning 1
     ), added as (
       insert into proxies (ip, ${WRITTEN}) select ip, ${WRITTEN} from compared where is_new order by ip returning 1
     )
     select (select count(*)::int from compared) as written,
            (select host(ip) from batch order by batch.ip desc limit 1) as "lastIp"`,
    [importId, afterIp, limit],
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
