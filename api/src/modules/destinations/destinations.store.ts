import type { Ctx } from '../../ctx.ts';
import { type PageQuery, toOffset } from '../../http/paging.ts';

export interface DestinationRow {
  id: string;
  destination: string;
  /** Empty: staff have entered it. */
  list: string;
  reason: string | null;
  createdAt: Date;
}

export interface Filter {
  search?: string | undefined;
  list?: string | undefined;
}

const COLUMNS = 'id, destination, list, reason, created_at as "createdAt"';

export function listEntries(ctx: Ctx, { search, list }: Filter, page: PageQuery): Promise<DestinationRow[]> {
  return ctx.db.query(
    `select ${COLUMNS} from refused_destinations
      where ($1::text is null or strpos(destination, lower($1)) > 0) and ($2::text is null or list = $2)
      order by created_at desc, id limit $3 offset $4`,
    [search ?? null, list ?? null, page.size, toOffset(page)],
  );
}

export async function countEntries(ctx: Ctx, { search, list }: Filter, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count
       from (select from refused_destinations
              where ($1::text is null or strpos(destination, lower($1)) > 0) and ($2::text is null or list = $2)
              limit $3) as found`,
    [search ?? null, list ?? null, limit],
  );
  return row!.count;
}

/** Each destination once, in order. */
export async function listDestinations(ctx: Ctx, after: string, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ destination: string }>(
    'select distinct destination from refused_destinations where destination > $1 order by destination limit $2',
    [after, limit],
  );
  return rows.map(({ destination }) => destination);
}

export async function readRevision(ctx: Ctx): Promise<string> {
  const [row] = await ctx.db.query<{ revision: string }>('select revision from refused_destinations_revision');
  return row!.revision;
}

/** Also locks the list against other changes until the end of the transaction. */
export async function renewRevision(ctx: Ctx): Promise<void> {
  await ctx.db.query('update refused_destinations_revision set revision = gen_random_uuid()');
}

export async function countOthers(ctx: Ctx, list: string): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from refused_destinations where list <> $1',
    [list],
  );
  return row!.count;
}

export async function findEntry(ctx: Ctx, list: string, destination: string): Promise<DestinationRow | undefined> {
  const [row] = await ctx.db.query<DestinationRow>(
    `select ${COLUMNS} from refused_destinations where list = $1 and destination = $2`,
    [list, destination],
  );
  return row;
}

/** Those that are there stay as they are. @returns how many are new */
export async function insertEntries(
  ctx: Ctx,
  list: string,
  destinations: readonly string[],
  reason: string | null,
): Promise<number> {
  const rows = await ctx.db.query(
    `insert into refused_destinations (list, destination, reason) select $1, destination, $3
       from unnest($2::text[]) as destination on conflict do nothing returning id`,
    [list, destinations, reason],
  );
  return rows.length;
}

/** @returns how many were removed */
export async function deleteOthers(ctx: Ctx, list: string, kept: readonly string[]): Promise<number> {
  const rows = await ctx.db.query(
    'delete from refused_destinations where list = $1 and not destination = any($2::text[]) returning id',
    [list, kept],
  );
  return rows.length;
}

export async function deleteEntry(ctx: Ctx, id: string): Promise<DestinationRow | undefined> {
  const [row] = await ctx.db.query<DestinationRow>(
    `delete from refused_destinations where id = $1 returning ${COLUMNS}`,
    [id],
  );
  return row;
}

export interface ListRow {
  list: string;
  entries: number;
  importedAt: Date;
}

export function listLists(ctx: Ctx): Promise<ListRow[]> {
  return ctx.db.query(
    `select list, count(*)::int as entries, max(created_at) as "importedAt"
       from refused_destinations where list <> '' group by list order by list`,
  );
}
