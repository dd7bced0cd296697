/** Finds tickets by words of their names, in windows of the view: its first tickets, and then more of them. */
import type { Ctx } from '../../ctx.ts';
import { FILTERED, PLANNED_EACH_TIME, type TicketFilter, valuesOf, VIEWS } from './desk.store.ts';

export interface FirstTickets {
  /** Of those that match, in the order of the view. */
  ids: string[];
  /** The times of the first and of the last one that was read, by which the view is sorted; null if there is none. */
  first: Date | null;
  last: Date | null;
  /** Of those that were read. */
  count: number;
}

/** Reads the first tickets of the view, at most `limit`, whether they match or not. */
export async function searchFirst(ctx: Ctx, filter: TicketFilter, limit: number): Promise<FirstTickets> {
  const { condition, order, key } = VIEWS[filter.view];
  const withoutWords = valuesOf({ ...filter, words: [] });
  const [row] = await ctx.db.query<FirstTickets>(
    `with desk as materialized (
       select ticket_id, desk.created_at, waiting_since, words ${FILTERED} and ${condition} order by ${order} limit $7
     )
     select coalesce((select array_agg(ticket_id::text order by ${order}) from desk where words @@ to_tsquery('simple', $8)),
                     '{}') as ids,
            (select ${key} from desk order by ${order} limit 1) as first, count(*)::int as count,
            (select ${key} from desk order by ${order} offset $7 - 1) as last
       from desk`,
    [...withoutWords, limit, valuesOf(filter)[3]],
    PLANNED_EACH_TIME,
  );
  return row!;
}

/**
 * Reads all matches up to a time of the view, or all of them, and only then sorts them: the planner does not know how rare the start of a word
 * is, and would walk the view for the first matches.
 * @param until null: without a limit
 * @returns the ids of the first ones, at most `limit`
 */
export async function search(ctx: Ctx, filter: TicketFilter, until: Date | null, limit: number): Promise<string[]> {
  const { condition, order, key, direction } = VIEWS[filter.view];
  const rows = await ctx.db.query<{ id: string }>(
    `with desk as materialized (
       select ticket_id, desk.created_at, waiting_since ${FILTERED} and ${condition}
          and ($7::timestamptz is null or desk.${key} ${direction === 'DOWN' ? '>=' : '<='} $7)
     )
     select ticket_id as id from desk order by ${order} limit $8`,
    [...valuesOf(filter), until, limit],
    PLANNED_EACH_TIME,
  );
  return rows.map(({ id }) => id);
}
