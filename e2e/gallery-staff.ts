/** Screens and states of the admin area that are not in the menu; staff-screens.long.spec.ts visits the first ones too. */
import type { Screen } from './gallery-screen.ts';
import { expect } from './product.ts';

export const staffStates: Screen[] = [
  { name: 'staff-canned-replies', path: '/admin/tickets/replies' },
  { name: 'staff-faq-preview', path: '/admin/faq?preview=ru' },
];

/** What staff open from a list. */
export const staffDetailScreens: Screen[] = [
  {
    name: 'staff-connection',
    path: '/admin/connections',
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Details of/ })
        .first()
        .click();
      await expect(page.getByRole('dialog').getByRole('heading', { name: 'Charges' })).toBeVisible();
      await page.waitForLoadState('networkidle');
    },
  },
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
    path: '/admin/tickets?view=all',
    act: async (page) => {
      await page.locator('main a[href^="/admin/tickets/"]:not([href$="/replies"])').first().click();
      await expect(page.locator('main textarea').first()).toBeVisible();
      await page.waitForLoadState('networkidle');
    },
  },
];
