import type { ChangeCounts } from '@cellhop/contract/staff/inventory';
import type { Ctx } from '../../ctx.ts';
import type { ImportRow } from './import-rows.ts';

export async function readNodes(ctx: Ctx): Promise<Map<string, string>> {
  const rows = await ctx.db.query<{ id: string; name: string }>('select id, name from readable_gateway_nodes');
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** Of files that the actor has had checked and not ordered: only the last one is kept. */
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

/** Each row has another address, which the caller has checked. */
export async function insertRows(ctx: Ctx, importId: string, rows: readonly ImportRow[]): Promise<void> {
  const column = <Key extends keyof ImportRow>(key: Key) => rows.map((row) => row[key]);
  await ctx.db.query(
    `insert into catalogue_import_rows (import_id, ip, price_micros, country_code, region, city, zip, isp, connection_type, node_id,
                                        exit_kind, exit_address)
     select $1, ip::inet, price_micros, country_code, region, city, zip, isp, connection_type, node_id, exit_kind::exit_kind, exit
       from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::uuid[],
                   $11::text[], $12::text[])
         as file (ip, price_micros, country_code, region, city, zip, isp, connection_type, node_id, exit_kind, exit)`,
    [
      importId,
      column('ip'),
      column('priceMicros'),
      column('countryCode'),
      column('region'),
      column('city'),
      column('zip'),
      column('isp'),
      column('connectionType'),
      column('nodeId'),
      column('exitKind'),
      column('exit'),
    ],
  );
}

/** The rows of a file beside the proxies with their addresses. An exit that its node does not have yet is null. */
const COMPARED = `
  select file.*, exits.id as exit_id, proxies.id is null as is_new,
         proxies.id is not null
           and (exits.id is null
                or (proxies.price_micros, proxies.country_code, proxies.region, proxies.city, proxies.zip, proxies.isp,
                    proxies.connection_type, proxies.exit_id)
                   is distinct from (file.price_micros, file.country_code, file.region, file.city, file.zip, file.isp,
                                     file.connection_type, exits.id)) as is_changed
    from catalogue_import_rows as file
    left join readable_exits as exits
      on exits.node_id = file.node_id and exits.kind = file.exit_kind and coalesce(exits.address, '') = file.exit_address
    left join proxies on proxies.ip = file.ip
   where import_id = $1`;

const COUNTS = `count(*) filter (where is_new)::int as "newCount", count(*) filter (where is_changed)::int as "changedCount",
  count(*) filter (where not is_new and not is_changed)::int as "unchangedCount"`;

/** Statistics of a staged file are never older than its rows. */
export async function analyzeRows(ctx: Ctx): Promise<void> {
  await ctx.db.query('analyze catalogue_import_rows');
}

export async function countChanges(ctx: Ctx, importId: string): Promise<ChangeCounts> {
  const [row] = await ctx.db.query<ChangeCounts>(`select ${COUNTS} from (${COMPARED}) as compared`, [importId], {
    isPrepared: false,
  });
  return row!;
}

export async function saveCounts(ctx: Ctx, importId: string, counts: ChangeCounts): Promise<void> {
  await ctx.db.query(
    'update catalogue_imports set new_count = $2, changed_count = $3, unchanged_count = $4 where id = $1',
    [importId, counts.newCount, counts.changedCount, counts.unchangedCount],
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
            changed_count as "changedCount", unchanged_count as "unchangedCount"
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
  /** Of the batch; null after the last one. */
  lastIp: string | null;
}

/**
 * Writes the rows that differ among the next `limit` ones of a file, in the order of their addresses: two statements then lock proxies in
 * the same order.
 */
export async function writeRows(
  ctx: Ctx,
  importId: string,
  afterIp: string | null,
  limit: number,
): Promise<WrittenRows> {
  const [row] = await ctx.db.query<WrittenRows>(
    `with batch as (
       select ip from catalogue_import_rows where import_id = $1 and ($2::inet is null or ip > $2) order by ip limit $3
     ), written as (
       insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit, exit_id)
       select ip, price_micros, country_code, region, city, zip, isp, connection_type,
              jsonb_build_object('kind', exit_kind, 'address', nullif(exit_address, '')), exit_id
         from (${COMPARED} and file.ip in (select ip from batch)) as compared where is_new or is_changed order by ip
           on conflict (ip) do update
          set price_micros = excluded.price_micros, country_code = excluded.country_code, region = excluded.region,
              city = excluded.city, zip = excluded.zip, isp = excluded.isp, connection_type = excluded.connection_type,
              exit = excluded.exit, exit_id = excluded.exit_id
       returning 1
     )
     select (select count(*)::int from written) as written,
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

/** Rows first, because an import may have two hundred thousand of them. */
export async function deleteOldRows(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from catalogue_import_rows where ctid = any (array(
       select file.ctid from catalogue_import_rows as file join catalogue_imports on catalogue_imports.id = import_id
        where created_at < now() - interval '1 day' limit $1
     )) returning import_id`,
    [limit],
  );
  return rows.length;
}

/** Applied ones are kept for a month: a repeated request gets their counts. */
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
