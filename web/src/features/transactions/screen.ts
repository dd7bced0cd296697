import { IconArrowsExchange } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';
import {
  dayParameter,
  numberParameter,
  pageSearch,
  textParameters,
  searchParameters,
} from '../../loading/search-values.ts';

export const transactionsSearch = searchParameters((search) => {
  const kinds = textParameters(search['kind']);
  return {
    ...pageSearch(search),
    /** The screen ignores unknown kinds. */
    kind: kinds.length > 0 ? kinds : undefined,
    /** Days, such as 2026-11-21, both included. */
    from: dayParameter(search['from']),
    to: dayParameter(search['to']),
    /** The month whose statement is open, such as 2026-11. */
    month: dayParameter(`${String(search['month'])}-01`)?.slice(0, 7),
    /** The number of the receipt that is open. */
    receipt: numberParameter(search['receipt']),
  };
});

export const transactionsScreen = {
  path: '/transactions',
  texts: ['transaction', 'payment', 'legal'],
  search: transactionsSearch,
  title: 'transactions',
  Icon: IconArrowsExchange,
} as const satisfies Screen;
