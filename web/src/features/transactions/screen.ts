import { IconArrowsExchange } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';
import { dayOf, pageSearch, type Search, textsOf } from '../../loading/search-values.ts';

export const transactionsScreen = {
  path: '/transactions',
  texts: ['transaction', 'payment'],
  search: transactionsSearch,
  title: 'transactions',
  Icon: IconArrowsExchange,
} as const satisfies Screen;

export interface TransactionsSearch {
  page?: number | undefined;
  /** The screen ignores unknown kinds. */
  kind?: string[] | undefined;
  /** Days, such as 2026-11-21, both included. */
  from?: string | undefined;
  to?: string | undefined;
  /** The month whose statement is open, such as 2026-11. */
  month?: string | undefined;
}

export function transactionsSearch(search: Search): TransactionsSearch {
  const kinds = textsOf(search['kind']);
  return {
    ...pageSearch(search),
    kind: kinds.length > 0 ? kinds : undefined,
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    month: dayOf(`${String(search['month'])}-01`)?.slice(0, 7),
  };
}
