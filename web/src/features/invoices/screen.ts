import { IconReceipt2 } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';
import { creatingSearch, idParameter, type Search } from '../../loading/search-values.ts';

export const invoicesScreen = {
  path: '/payments/invoices',
  texts: ['payment'],
  search: invoicesSearch,
  title: 'payments',
  Icon: IconReceipt2,
} as const satisfies Screen;

interface InvoicesSearch extends ReturnType<typeof creatingSearch> {
  /** The open invoice, so that a user who returns from their wallet sees it. */
  invoice?: string | undefined;
  /** Expired invoices are listed, too. */
  expired?: true | undefined;
}

export function invoicesSearch(search: Search): InvoicesSearch {
  return {
    ...creatingSearch(search),
    invoice: idParameter(search['invoice']),
    expired: String(search['expired']) === 'true' ? true : undefined,
  };
}
