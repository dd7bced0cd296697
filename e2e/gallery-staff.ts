/** The screens of staff; staff-screens.spec.ts checks them too. */
import type { Screen } from './gallery-screen.ts';

export const staffScreens: Screen[] = [
  { name: 'staff-connections', path: '/admin/connections' },
  { name: 'staff-tickets', path: '/admin/tickets' },
  { name: 'staff-canned-replies', path: '/admin/tickets/replies' },
  { name: 'staff-promo-codes', path: '/admin/referral-system/codes' },
  { name: 'staff-faq', path: '/admin/faq' },
  { name: 'staff-faq-preview', path: '/admin/faq?preview=ru' },
  { name: 'staff-broadcasts', path: '/admin/broadcasts' },
  { name: 'staff-proxies', path: '/admin/proxies' },
  { name: 'staff-nodes', path: '/admin/nodes' },
  { name: 'staff-users', path: '/admin/users' },
  { name: 'staff-roles', path: '/admin/roles' },
  { name: 'staff-invoices', path: '/admin/payment/invoices' },
  { name: 'staff-approvals', path: '/admin/approvals' },
  { name: 'staff-system', path: '/admin/system' },
  { name: 'staff-audit-log', path: '/admin/audit-log' },
  { name: 'staff-dashboard', path: '/admin' },
];
