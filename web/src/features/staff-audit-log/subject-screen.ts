import type { SubjectType } from '@cellhop/contract/staff/audit-log.plain';

interface SubjectScreen {
  to: string;
  search?: Record<string, string>;
}

const screens: Partial<Record<SubjectType, (id: string) => SubjectScreen>> = {
  USER: (id) => ({ to: `/admin/users/${id}` }),
  TICKET: (id) => ({ to: `/admin/tickets/${id}` }),
  INVOICE: (id) => ({ to: '/admin/payment/invoices', search: { invoice: id } }),
  REQUEST: () => ({ to: '/admin/approvals' }),
  CONNECTION: () => ({ to: '/admin/connections' }),
  PROMO_CODE: () => ({ to: '/admin/referral-system/codes' }),
};

/** The screen of a subject; undefined for those without one. */
export function screenOf(type: SubjectType, id: string): SubjectScreen | undefined {
  return screens[type]?.(id);
}
