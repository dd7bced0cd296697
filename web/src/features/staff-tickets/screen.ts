import { ticketStatuses } from '@cellhop/contract/tickets.values';
import { TICKET_WORDS_LENGTH_MAX, TICKET_WORDS_LENGTH_MIN } from '@cellhop/contract/limits';
import type { TicketView } from '@cellhop/contract/staff/tickets';
import { ticketViews } from '@cellhop/contract/staff/lists.values';
import { IconMessages } from '@tabler/icons-react';
import {
  dayParameter,
  idParameter,
  oneOf,
  pageSearch,
  type Search,
  textParameter,
  searchParameters,
} from '../../loading/search-values.ts';
import { momentsSearch } from '../staff-parts/continuation.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffTicketsSearch = searchParameters((search) => {
  const userId = idParameter(search['userId']);
  const status = oneOf(search['status'], ticketStatuses);
  const usual = shownView({ userId });
  const view = oneOf(search['view'], ticketViews) ?? (status === undefined ? usual : 'all');
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    view: view === usual ? undefined : view,
    userId,
    // The other views have open tickets only.
    status: view === 'all' ? status : undefined,
    words: toWords(search['words']),
    /** Days of the creation, such as 2026-11-21, both included. */
    from: dayParameter(search['from']),
    to: dayParameter(search['to']),
    days: replyDaysParameter(search['days']),
    /** The dialog for a new ticket is open. */
    create: String(search['create']) === 'true' ? (true as const) : undefined,
  };
});

export type StaffTicketsSearch = ReturnType<typeof staffTicketsSearch>;

/** Without a view: the tickets that wait for staff, or all of one user. */
export function shownView({ view, userId }: Pick<StaffTicketsSearch, 'view' | 'userId'>): TicketView {
  return view ?? (userId === undefined ? 'waiting' : 'all');
}

export const staffTicketsScreen = {
  path: '/admin/tickets',
  permission: 'TICKETS_READ',
  texts: ['staffSupport', 'support'],
  search: staffTicketsSearch,
  title: { en: 'Customer tickets', ru: 'Обращения клиентов' },
  menuItem: { en: 'Tickets', ru: 'Обращения' },
  waiting: 'tickets',
  Icon: IconMessages,
} as const satisfies StaffScreenOf<'GET /v1/support/admin/tickets'>;

export const staffTicketScreen = {
  path: '/admin/tickets/$ticketId',
  permission: 'TICKETS_READ',
  texts: ['staffSupport', 'support'],
  search: staffTicketSearch,
} as const satisfies StaffScreenOf<'GET /v1/support/admin/tickets/{id}'>;

export const cannedRepliesScreen = {
  path: '/admin/tickets/replies',
  permission: 'TICKETS_READ',
  texts: ['staffSupport', 'support'],
} as const satisfies StaffScreenOf<'GET /v1/support/admin/canned-replies'>;

/** Days over which the time to the first reply is measured. */
export const replyDays = ['7', '30', '90'] as const;
export type ReplyDays = (typeof replyDays)[number];

/** The default is left out. */
function replyDaysParameter(value: unknown): ReplyDays | undefined {
  const days = oneOf(textParameter(value), replyDays);
  return days === '30' ? undefined : days;
}

/** Undefined unless the API would accept the text. */
export function toWords(value: unknown): string | undefined {
  const words = textParameter(value)?.trim() ?? '';
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
