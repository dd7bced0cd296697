/** Which answers of the API an event makes stale, by the address that was asked. */
import type { listConnections } from '@cellhop/contract/connections';
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import type { listInvoices } from '@cellhop/contract/invoices';
import type { LiveTopic } from '@cellhop/contract/live';
import type { listNotifications } from '@cellhop/contract/notifications';
import type { getReceipt } from '@cellhop/contract/receipts';
import type { listTransactions } from '@cellhop/contract/transactions';
import type { getUsage } from '@cellhop/contract/usage';
import type { getProfile } from '@cellhop/contract/users';

/** Traffic changes twice a second; nobody reads that fast. */
const LIST_SPACING_MS = 1000;
/** Sums over many charges cost the server more than a page of a list, and charts are read slowly. */
const SUMS_SPACING_MS = 5000;

export interface Watched {
  isMeant: (url: string) => boolean;
  topics: readonly LiveTopic[];
  /** Asked again at most once in this time. */
  spacingMs: number;
}

const list = { spacingMs: LIST_SPACING_MS };
const sums = { spacingMs: SUMS_SPACING_MS };

export const watched: readonly Watched[] = [
  { isMeant: at<typeof getProfile>('/v1/profile'), topics: ['balance'], ...list },
  { isMeant: at<typeof listTransactions>('/v1/transactions'), topics: ['balance'], ...list },
  { isMeant: at<typeof listConnections>('/v1/proxies/connections'), topics: ['connections'], ...list },
  { isMeant: at<typeof listInvoices>('/v1/payments/invoices'), topics: ['invoices'], ...list },
  { isMeant: at<typeof listNotifications>('/v1/notifications'), topics: ['notifications'], ...list },
  { isMeant: (url) => url.startsWith('/v1/support/tickets'), topics: ['tickets'], ...list },
  { isMeant: at<typeof getUsage>('/v1/usage'), topics: ['balance', 'connections'], ...sums },
  {
    isMeant: at<typeof getReceipt>('/v1/proxies/connections/{id}/receipt'),
    topics: ['balance', 'connections'],
    ...sums,
  },
];

/** Types alone are imported: every screen loads this, and not every screen the schemas of all others. */
function at<E extends EndpointDefinition>(wanted: E['url']): (url: string) => boolean {
  return (url) => url === wanted;
}
