import type { SubjectType } from '@cellhop/contract/staff/audit-log.values';

interface SubjectScreen {
  to: string;
  search?: Record<string, string>;
}

/** Screens by id: a page of one object, or a list filtered by its id. */
const screensOfOne: Partial<Record<SubjectType, (id: string) => SubjectScreen>> = {
  USER: (id) => ({ to: `/admin/users/${id}` }),
  TICKET: (id) => ({ to: `/admin/tickets/${id}` }),
  INVOICE: (id) => ({ to: '/admin/payment/invoices', search: { invoice: id } }),
  CONNECTION: (id) => ({ to: '/admin/connections', search: { id } }),
};

/** Subjects that link to an unfiltered list. */
const lists: Partial<Record<SubjectType, string>> = {
  REQUEST: '/admin/approvals',
  PROMO_CODE: '/admin/referral-system/codes',
  FAQ: '/admin/faq',
  BROADCAST: '/admin/broadcasts',
  PROXY: '/admin/proxies',
  NODE: '/admin/nodes',
  DESTINATION: '/admin/refused-destinations',
  ROLE: '/admin/roles',
  JOB: '/admin/system',
};

/** @returns undefined for a subject without a screen */
export function subjectScreen(type: SubjectType, id: string | null): SubjectScreen | undefined {
  const list = lists[type];
  if (list !== undefined) return { to: list };
  return id === null ? undefined : screensOfOne[type]?.(id);
}
