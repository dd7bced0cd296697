/** Imported lines whose address is not known yet. `add_import_exits` writes them. */
import type { ExitParameters } from '@cellhop/contract/exits';
import type { Place } from '@cellhop/contract/places.values';
import type { Ctx } from '../../ctx.ts';
import { selectPlace } from '../../db/place-columns.ts';
import { type PageQuery, toOffset } from '../../http/paging.ts';
import { UNKNOWN, UNKNOWN_COUNTRY } from './import-rows.ts';
import { optional, required } from './imports.store.ts';

const columns = [...required, ...optional.map(({ sql }) => sql)];
/** What a file does not say stays as it is. */
const SAME = columns
  .map((column) => `(file.${column} is null or file.${column}::text = waiting.${column}::text)`)
  .join(' and ');

/** Lines of a checked file that will wait, and those that wait already and say nothing else. */
export async function countChanges(ctx: Ctx, importId: string): Promise<{ waitingCount: number; sameCount: number }> {
  const [row] = await ctx.db.query<{ waitingCount: number; sameCount: number }>(
    `select count(*) filter (where not is_same)::int as "waitingCount", count(*) filter (where is_same)::int as "sameCount"
       from (select waiting.exit_id is not null and rotation is null and ${SAME} as is_same
               from catalogue_import_waiting as file
               left join readable_exits as exits on exits.node_id = file.node_id and exits.key = any (file.exit_keys)
               left join waiting_proxies as waiting on waiting.exit_id = exits.id
              where import_id = $1) as compared`,
    [importId],
    { isPrepared: false },
  );
  return row!;
}

/** An empty text or 0 stands for none. */
const ADDED = [...required, ...optional.map(({ sql, type }) => `nullif(${sql}, ${type === 'text' ? `''` : '0'})`)].join(
  ', ',
);

export type UnplacedRow = Pick<Place, 'countryCode' | 'isp' | 'asn'> & { exitId: string; seenAddress: string };

/** Waiting lines without a country or an operator, whose address has been seen. */
export function listUnplaced(ctx: Ctx, exitIds: readonly string[]): Promise<UnplacedRow[]> {
  return ctx.db.query(
    `select exit_id as "exitId", host(seen_address) as "seenAddress", country_code as "countryCode", isp, asn
       from waiting_proxies join exit_states using (exit_id)
      where exit_id = any($1::uuid[]) and seen_address is not null and (country_code = $2 or isp = $3)`,
    [exitIds, UNKNOWN_COUNTRY, UNKNOWN],
  );
}

export async function savePlaces(ctx: Ctx, rows: readonly Omit<UnplacedRow, 'seenAddress'>[]): Promise<void> {
  await ctx.db.query(
    `update waiting_proxies set country_code = found.country_code, isp = found.isp, asn = found.asn
       from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) as found (exit_id, country_code, isp, asn)
      where waiting_proxies.exit_id = found.exit_id`,
    [
      rows.map(({ exitId }) => exitId),
      rows.map(({ countryCode }) => countryCode),
      rows.map(({ isp }) => isp),
      rows.map(({ asn }) => asn),
    ],
  );
}

/**
 * Makes proxies of the lines whose exits have an address by now, unless another proxy promises it. One that has got a proxy meanwhile waits
 * no longer. One without a country goes on waiting.
 * @returns the number of added proxies
 */
export async function addSeen(ctx: Ctx, exitIds: readonly string[]): Promise<number> {
  const [row] = await ctx.db.query<{ added: number }>(
    `with seen as materialized (
       select waiting.*, seen_address, exists (select from proxies where proxies.exit_id = waiting.exit_id) as is_known
         from waiting_proxies as waiting join exit_states using (exit_id)
        where waiting.exit_id = any($1::uuid[]) and seen_address is not null and country_code <> $2
        order by waiting.exit_id for no key update of waiting skip locked
     ), added as (
       insert into proxies (ip, exit_id, ${columns.join(', ')})
       select distinct on (seen_address) seen_address, exit_id, ${ADDED} from seen where not is_known order by seen_address, created_at
           on conflict (ip) do nothing returning exit_id
     ), ended as (
       delete from waiting_proxies using seen
        where waiting_proxies.exit_id = seen.exit_id and (is_known or seen.exit_id in (select exit_id from added))
     ), taken as (
       update waiting_proxies set taken_at = now() from seen
        where waiting_proxies.exit_id = seen.exit_id and waiting_proxies.taken_at is null
          and not is_known and seen.exit_id not in (select exit_id from added)
     )
     select count(*)::int as added from added`,
    [exitIds, UNKNOWN_COUNTRY],
  );
  return row!.added;
}

export interface WaitingRow extends Place {
  exitId: string;
  node: string;
  exitKind: string;
  parameters: ExitParameters;
  hasCredentials: boolean;
  priceMicros: bigint;
  createdAt: Date;
  checkedAt: Date | null;
  reason: string | null;
  seenAddress: string | null;
  isTaken: boolean;
}

/** The oldest first. */
export function listWaiting(ctx: Ctx, page: PageQuery): Promise<WaitingRow[]> {
  return ctx.db.query(
    `select waiting.exit_id as "exitId", node_name as node, exits.kind as "exitKind", parameters, has_credentials as "hasCredentials",
            price_micros as "priceMicros", ${selectPlace('waiting.')}, waiting.created_at as "createdAt", checked_at as "checkedAt", reason,
            host(seen_address) as "seenAddress", taken_at is not null as "isTaken"
       from waiting_proxies as waiting
       join readable_exits as exits on exits.id = waiting.exit_id
       join exit_states on exit_states.exit_id = waiting.exit_id
      order by waiting.created_at, waiting.exit_id limit $1 offset $2`,
    [page.size, toOffset(page)],
  );
}

export async function countWaiting(ctx: Ctx, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from (select from waiting_proxies limit $1) as found',
    [limit],
  );
  return row!.count;
}

/** @returns whether it was waiting */
export async function removeWaiting(ctx: Ctx, exitId: string): Promise<boolean> {
  const rows = await ctx.db.query('delete from waiting_proxies where exit_id = $1 returning 1', [exitId]);
  return rows.length === 1;
}
