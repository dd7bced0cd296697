import { IconMessages } from '@tabler/icons-react';
import { LIST_SPACING_MS, type Screen } from '../../lib/screen.ts';
import { creatingSearch, pageSearch } from '../../lib/search-values.ts';

export const ticketsScreen = {
  path: '/support/tickets',
  name: 'tickets',
  isForMembers: true,
  texts: ['support'],
  search: creatingSearch,
  title: 'support',
  Icon: IconMessages,
  // Lists, tickets and their messages.
  live: [
    {
      isMeant: (url: string) => url.startsWith('/v1/support/tickets'),
      topics: ['tickets'],
      spacingMs: LIST_SPACING_MS,
    },
  ],
} as const satisfies Screen;

export const ticketScreen = {
  path: '/support/tickets/$ticketId',
  name: 'ticket',
  isForMembers: true,
  texts: ['support'],
  search: pageSearch,
} as const satisfies Screen;
