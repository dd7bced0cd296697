import type { Found } from '@cellhop/contract/staff/search';
import type { FoundKind } from '@cellhop/contract/staff/search.values';

interface FoundLink {
  to: string;
  search?: Record<string, string>;
}

const links: Record<FoundKind, (found: Found) => FoundLink> = {
  USER: ({ id }) => ({ to: `/admin/users/${id}` }),
  CONNECTION: ({ id }) => ({ to: '/admin/connections', search: { id } }),
  PROXY: ({ title }) => ({ to: '/admin/proxies', search: { ip: title } }),
  INVOICE: ({ id }) => ({ to: '/admin/payment/invoices', search: { invoice: id } }),
  PROMO_CODE: ({ title }) => ({ to: '/admin/referral-system/codes', search: { code: title } }),
  TICKET: ({ id }) => ({ to: `/admin/tickets/${id}` }),
};

/** Where a search result is shown. */
export function linkOf(found: Found): FoundLink {
  return links[found.kind](found);
}
