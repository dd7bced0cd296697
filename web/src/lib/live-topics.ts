/** Which answers of the API an event makes stale, by the address that was asked. */
import type { listConnections } from '@cellhop/contract/connections';
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import type { listInvoices } from '@cellhop/contract/invoices';
import type { LiveTopic } from '@cellhop/contract/live';
import type { listNotifications } from '@cellhop/contract/notifications';
import type { getConnectionCost, listCharges } from '@cellhop/contract/receipts';
import type { listTransactions } from '@cellhop/contract/transactions';
import type { getUsage } from '@cellhop/contract/usage';
import type { getProfile } from '@cellhop/contract/users';

/** Traffic changes twice a second; nobody reads that fast. */
const LIST_SPACING_MS = 1000;
/** Sums over many charges cost the server more than a page of a list, and charts are read slowly. */
const SUMS_SPACING_MS = 5000;

interface Watched {
  isMeant: (url: string) => boolean;
  topics: readonly LiveTopic[];
  /** Asked again at most once in this time. */
  spacingMs: number;
}

const list = { spacingMs: LIST_SPACING_MS };
const sums = { spacingMs: SUMS_SPACING_MS };

const CHARGES = '/v1/proxies/connections/{id}/charges' satisfies Url<typeof listCharges>;
const COST = '/v1/proxies/connections/{id}/cost' satisfies Url<typeof getConnectionCost>;

export const watched: readonly Watched[] = [
  { isMeant: at('/v1/profile' satisfies Url<typeof getProfile>), topics: ['balance'], ...list },
  { isMeant: at('/v1/transactions' satisfies Url<typeof listTransactions>), topics: ['balance'], ...list },
  { isMeant: at('/v1/proxies/connections' satisfies Url<typeof listConnections>), topics: ['connections'], ...list },
  { isMeant: at('/v1/payments/invoices' satisfies Url<typeof listInvoices>), topics: ['invoices'], ...list },
  { isMeant: at('/v1/notifications' satisfies Url<typeof listNotifications>), topics: ['notifications'], ...list },
  { isMeant: (url) => url.startsWith('/v1/support/tickets'), topics: ['tickets'], ...list },
  { isMeant: at('/v1/usage' satisfies Url<typeof getUsage>), topics: ['balance', 'connections'], ...sums },
  { isMeant: at(CHARGES), topics: ['balance', 'connections'], ...sums },
  { isMeant: at(COST), topics: ['balance', 'connections'], ...sums },
];

/** Types alone are imported: every screen loads this, and not every screen the schemas of all others. */
type Url<E extends EndpointDefinition> = E['url'];

function at(wanted: string): (url: string) => boolean {
  return (url) => url === wanted;
}
