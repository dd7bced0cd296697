/** The screens of staff; staff-screens.spec.ts checks them too. */
import type { Screen } from './gallery-screen.ts';
import { expect } from './product.ts';

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

/** What staff open from a list. */
export const staffDetailScreens: Screen[] = [
  {
    name: 'staff-user',
    path: '/admin/users?email=user%40example.com',
    act: async (page) => {
      await page.getByRole('main').getByRole('link', { name: 'user@example.com' }).first().click();
      await expect(page.getByRole('main').getByRole('heading', { name: 'user@example.com' })).toBeVisible();
      await page.waitForLoadState('networkidle');
    },
  },
  {
    name: 'staff-ticket',
    path: '/admin/tickets',
    act: async (page) => {
      await page.locator('main a[href^="/admin/tickets/"]:not([href$="/replies"])').first().click();
      await expect(page.locator('main textarea').first()).toBeVisible();
      await page.waitForLoadState('networkidle');
    },
  },
];
