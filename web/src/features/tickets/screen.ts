import { IconMessages } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';
import { creatingSearch, pageSearch } from '../../loading/search-values.ts';

export const ticketsScreen = {
  path: '/support/tickets',
  texts: ['support'],
  search: creatingSearch,
  title: 'support',
  Icon: IconMessages,
} as const satisfies Screen;

export const ticketScreen = {
  path: '/support/tickets/$ticketId',
  texts: ['support'],
  search: pageSearch,
} as const satisfies Screen;
