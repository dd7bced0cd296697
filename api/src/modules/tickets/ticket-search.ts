/**
 * Searches tickets by words of their names. First it scans the first tickets of the view, which is fast for common words. If too few match,
 * an index of the words finds all matches, which is fast for rare words.
 */
import { TICKET_MATCHES_MAX } from '@cellhop/contract/limits';
import type { Ctx } from '../../ctx.ts';
import { type ListedPage, type PageQuery, toOffset, toTotalPages } from '../../http/paging.ts';
import { listTicketsById, type StaffTicketRow, type TicketFilter } from './staff-tickets.store.ts';
import * as store from './ticket-search.store.ts';

/** Tickets of the view that are scanned. */
const FIRST_TICKETS = 5000;
/** If so many of them match, later tickets are not searched. */
const ENOUGH = 100;

/**
 * @param beginnings of words, in lower case: each begins a word of the name
 * @returns a page of the matches; truncated if not all tickets were searched, or more match than can be listed
 */
export async function searchTickets(
  ctx: Ctx,
  filter: TicketFilter,
  beginnings: readonly string[],
  page: PageQuery,
): Promise<ListedPage<StaffTicketRow>> {
  const { ids, isComplete } = await findMatches(ctx, filter, beginnings);
  const offset = toOffset(page);
  const listed = ids.slice(0, TICKET_MATCHES_MAX);
  return {
    rows: await listTicketsById(ctx, listed.slice(offset, offset + page.size), filter.view),
    totalPages: toTotalPages(listed.length, page),
    isTruncated: !isComplete || ids.length > TICKET_MATCHES_MAX,
  };
}

async function findMatches(
  ctx: Ctx,
  filter: TicketFilter,
  beginnings: readonly string[],
): Promise<{ ids: string[]; isComplete: boolean }> {
  const words = await store.expandWords(ctx, beginnings);
  if (words === null) return { ids: [], isComplete: true };
  const { ids, count } = await store.searchFirst(ctx, filter, words, FIRST_TICKETS);
  if (count < FIRST_TICKETS) return { ids, isComplete: true };
  if (ids.length >= ENOUGH) return { ids, isComplete: false };
  return { ids: await store.searchAll(ctx, filter, words, TICKET_MATCHES_MAX + 1), isComplete: true };
}
