import { ticketStatuses } from '@cellhop/contract/tickets.values';
import { TICKET_WORDS_LENGTH_MAX, TICKET_WORDS_LENGTH_MIN } from '@cellhop/contract/limits';
import { ticketViews } from '@cellhop/contract/staff/tickets.values';
import { IconMessages } from '@tabler/icons-react';
import { dayOf, idOf, oneOf, pageSearch, type Search, textOf } from '../../loading/search-values.ts';
import { type Moments, momentsSearch } from '../staff-parts/continuation.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffTicketsScreen = {
  path: '/admin/tickets',
  permission: 'TICKETS_READ',
  texts: ['staffSupport', 'support'],
  search: staffTicketsSearch,
  title: 'tickets',
  Icon: IconMessages,
} as const satisfies StaffScreenOf<'GET /v1/support/admin/tickets'>;

export const staffTicketScreen = {
  path: '/admin/tickets/$ticketId',
  permission: 'TICKETS_READ',
  texts: ['staffSupport', 'support'],
  search: staffTicketSearch,
  title: 'tickets',
} as const satisfies StaffScreenOf<'GET /v1/support/admin/tickets/{id}'>;

export const cannedRepliesScreen = {
  path: '/admin/tickets/replies',
  permission: 'TICKETS_READ',
  texts: ['staffSupport', 'support'],
  title: 'tickets',
} as const satisfies StaffScreenOf<'GET /v1/support/admin/canned-replies'>;

/** Days over which the time to the first reply is measured. */
export const replyDays = ['7', '30', '90'] as const;
export type ReplyDays = (typeof replyDays)[number];

export interface StaffTicketsSearch extends Moments {
  page?: number | undefined;
  /** Without it: all tickets. */
  view?: (typeof ticketViews)[number] | undefined;
  userId?: string | undefined;
  status?: (typeof ticketStatuses)[number] | undefined;
  words?: string | undefined;
  /** Days of the creation, such as 2026-11-21, both included. */
  from?: string | undefined;
  to?: string | undefined;
  days?: ReplyDays | undefined;
  /** The dialog for a new ticket is open. */
  create?: true | undefined;
}

export function staffTicketsSearch(search: Search): StaffTicketsSearch {
  const view = oneOf(search['view'], ticketViews);
  const days = oneOf(textOf(search['days']), replyDays);
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    view: view === 'all' ? undefined : view,
    userId: idOf(search['userId']),
    // The other views have open tickets only.
    status: view === undefined || view === 'all' ? oneOf(search['status'], ticketStatuses) : undefined,
    words: wordsOf(search['words']),
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    days: days === '30' ? undefined : days,
    create: String(search['create']) === 'true' ? true : undefined,
  };
}

/** Undefined unless the API would accept the text. */
export function wordsOf(value: unknown): string | undefined {
  const words = textOf(value)?.trim() ?? '';
  const { length } = words;
  if (length < TICKET_WORDS_LENGTH_MIN || length > TICKET_WORDS_LENGTH_MAX) return undefined;
  return /[\p{L}\p{N}]/u.test(words) ? words : undefined;
}

export interface StaffTicketSearch {
  page?: number | undefined;
  /** The page of the internal notes. */
  notes?: number | undefined;
}

export function staffTicketSearch(search: Search): StaffTicketSearch {
  return { ...pageSearch(search), notes: pageSearch({ page: search['notes'] }).page };
}
