/** Finds tickets by words of their names. */
import type { Ctx } from '../../ctx.ts';
import { FILTERED, PLANNED_EACH_TIME, type TicketFilter, valuesOf, VIEWS } from './desk.store.ts';

export interface FirstTickets {
  /** Of those that match, in the order of the view. */
  ids: string[];
  /** Of those that were read. */
  count: number;
}

/** Reads the first tickets of the view, at most `limit`, whether they match or not. */
export function searchFirst(ctx: Ctx, filter: TicketFilter, limit: number): Promise<FirstTickets> {
  const { condition, order } = VIEWS[filter.view];
  const [withoutWords, words] = [valuesOf({ ...filter, words: [] }), valuesOf(filter)[3]];
  return ctx.tx(async (ctx) => {
    // The planner would rather read and sort all tickets of the view.
    await ctx.db.query(`select set_config('enable_bitmapscan', 'off', true)`);
    const [row] = await ctx.db.query<FirstTickets>(
      `with desk as materialized (
         select ticket_id, desk.created_at, waiting_since, words ${FILTERED} and ${condition} order by ${order} limit $7
       )
       select coalesce(array_agg(ticket_id::text order by ${order}) filter (where words @@ to_tsquery('simple', $8)), '{}') as ids,
              count(*)::int as count
         from desk`,
      [...withoutWords, limit, words],
      PLANNED_EACH_TIME,
    );
    return row!;
  });
}

/**
 * Reads all matches by an index of the words, and only then sorts them: the planner does not know how rare the start of a word is, and would
 * walk the view for the first matches.
 * @returns the ids of the first ones, at most `limit`
 */
export async function searchAll(ctx: Ctx, filter: TicketFilter, limit: number): Promise<string[]> {
  const { condition, order } = VIEWS[filter.view];
  const rows = await ctx.db.query<{ id: string }>(
    `with desk as materialized (select ticket_id, desk.created_at, waiting_since ${FILTERED} and ${condition})
     select ticket_id as id from desk order by ${order} limit $7`,
    [...valuesOf(filter), limit],
    PLANNED_EACH_TIME,
  );
  return rows.map(({ id }) => id);
}
