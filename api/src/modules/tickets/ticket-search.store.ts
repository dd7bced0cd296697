/** Finds tickets by words of their names. */
import type { Ctx } from '../../ctx.ts';
import { FILTERED, PLANNED_EACH_TIME, type TicketFilter, toValues, VIEWS } from './staff-tickets.store.ts';

/** If more words match, the index is searched by prefix. */
const EXPANDED_MAX = 50;

/**
 * Expands prefixes to the words of tickets that begin with them, because the index finds whole words much faster.
 * @param beginnings in lower case
 * @returns a query of PostgreSQL's text search; null if no ticket can match
 */
export async function expandWords(ctx: Ctx, beginnings: readonly string[]): Promise<string | null> {
  const [row] = await ctx.db.query<{ query: string | null; canMatch: boolean }>(
    `select string_agg(coalesce('(' || expanded || ')', beginning::text), ' & ') as query,
            coalesce(bool_and(expanded is not null or not is_one or has_more), false) as "canMatch"
       from unnest($1::text[]) as given
      cross join lateral (select to_tsquery('simple', '''' || given || ''':*') as beginning,
                                 tsvector_to_array(to_tsvector('simple', given)) as parts) as parsed
      cross join lateral (select coalesce(cardinality(parts), 0) = 1 as is_one) as counted
       left join lateral (
         select count(*) > $2 as has_more,
                case when count(*) <= $2
                     then string_agg('''' || replace(replace(word, '\\', '\\\\'), '''', '''''') || '''', ' | ') end as expanded
           from (select word from ticket_words
                  where is_one and word >= parts[1] and word < parts[1] || chr(1114111) limit $2 + 1) as matching) as words on true
      where numnode(beginning) > 0`,
    [beginnings, EXPANDED_MAX],
  );
  return row!.canMatch ? row!.query : null;
}

export interface FirstTickets {
  /** The matching tickets, in the order of the view. */
  ids: string[];
  /** The number of tickets that were read. */
  count: number;
}

/** Reads the first tickets of the view, at most `limit`, whether they match or not. @param words of `expandWords` */
export function searchFirst(ctx: Ctx, filter: TicketFilter, words: string, limit: number): Promise<FirstTickets> {
  const { condition, order } = VIEWS[filter.view];
  return ctx.tx(async (ctx) => {
    // Otherwise the planner reads and sorts all tickets of the view.
    await ctx.db.query(`select set_config('enable_bitmapscan', 'off', true)`);
    const [row] = await ctx.db.query<FirstTickets>(
      `with desk as materialized (
         select ticket_id, desk.created_at, waiting_since, words ${FILTERED} and ${condition} order by ${order} limit $6
       )
       select coalesce(array_agg(ticket_id::text order by ${order}) filter (where words @@ $7::tsquery), '{}') as ids,
              count(*)::int as count
         from desk`,
      [...toValues(filter), limit, words],
      PLANNED_EACH_TIME,
    );
    return row!;
  });
}

/**
 * Reads all matches by an index of the words, and only then sorts them: the planner does not know how rare a word is in the view, and would
 * scan the view for the first matches. Open tickets have their own index of words, which serves all views but `all`.
 * @param words of `expandWords` @returns the ids of the first ones, at most `limit`
 */
export async function searchAll(ctx: Ctx, filter: TicketFilter, words: string, limit: number): Promise<string[]> {
  const { condition, order } = VIEWS[filter.view];
  const indexed = condition === 'true' ? 'true' : 'is_open';
  const rows = await ctx.db.query<{ id: string }>(
    `with desk as materialized (
       select ticket_id, desk.created_at, waiting_since, is_open ${FILTERED} and ${indexed} and words @@ $7::tsquery)
     select ticket_id as id from desk where ${condition} order by ${order} limit $6`,
    [...toValues(filter), limit, words],
    PLANNED_EACH_TIME,
  );
  return rows.map(({ id }) => id);
}
