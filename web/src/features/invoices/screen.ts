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

/** The open invoice, so that a user who returns from their wallet sees it. */
export function invoicesSearch(search: Search): ReturnType<typeof creatingSearch> & { invoice?: string | undefined } {
  return { ...creatingSearch(search), invoice: idParameter(search['invoice']) };
}
