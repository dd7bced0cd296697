/**
 * Searches tickets by words of their names. The first tickets of the view are read one by one, which finds a common word at once. If too few
 * match, an index of the words finds those of a longer time, and then all: the rarer the words, the fewer tickets that reads.
 */
import { TICKET_MATCHES_MAX } from '@cellhop/contract/limits';
import type { Ctx } from '../../ctx.ts';
import { type ListedPage, type PageQuery, toOffset, toTotalPages } from '../../http/paging.ts';
import { listTicketsById, type StaffTicketRow, type TicketFilter } from './desk.store.ts';
import * as store from './ticket-search.store.ts';

/** Tickets of the view that are read one by one. */
const FIRST_TICKETS = 2000;
/** The longer time, as a multiple of that of the first tickets. */
const LONGER = 25;
/** So many matches are enough: tickets that come later in the view are not searched. */
const ENOUGH = 100;

/** @returns a page of the matches; truncated if not all tickets were searched, or more match than can be listed */
export async function searchTickets(
  ctx: Ctx,
  filter: TicketFilter,
  page: PageQuery,
): Promise<ListedPage<StaffTicketRow>> {
  const { ids, isComplete } = await findMatches(ctx, filter);
  const offset = toOffset(page);
  const listed = ids.slice(0, TICKET_MATCHES_MAX);
  return {
    rows: await listTicketsById(ctx, listed.slice(offset, offset + page.size), filter.view),
    totalPages: toTotalPages(listed.length, page),
    isTruncated: !isComplete || ids.length > TICKET_MATCHES_MAX,
  };
}

async function findMatches(ctx: Ctx, filter: TicketFilter): Promise<{ ids: string[]; isComplete: boolean }> {
  const { ids, first, last, count } = await store.searchFirst(ctx, filter, FIRST_TICKETS);
  if (first === null || last === null || count < FIRST_TICKETS) return { ids, isComplete: true };
  if (ids.length >= ENOUGH) return { ids, isComplete: false };
  const until = new Date(first.getTime() + LONGER * (last.getTime() - first.getTime()));
  const recent = await store.search(ctx, filter, until, TICKET_MATCHES_MAX + 1);
  if (recent.length >= ENOUGH) return { ids: recent, isComplete: false };
  return { ids: await store.search(ctx, filter, null, TICKET_MATCHES_MAX + 1), isComplete: true };
}
