/** A screen of each layout, and axe on a list; `npm run test:long` visits all screens in each look and at each width with axe. */
import type { Page } from '@playwright/test';
import { enter, expect, test } from './product.ts';
import { expectAccessible, expectFits, PHONE_WIDTH, prefer, visit } from './screen-checks.ts';

async function walk(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await visit(page, path);
    await expect(page.getByRole('main').getByRole('alert'), path).toHaveCount(0);
    await expectFits(page, path, [PHONE_WIDTH]);
    await page.setViewportSize({ width: 1440, height: 900 });
  }
}

test('a screen of each layout opens and fits a phone, and a list is accessible', async ({ page }) => {
  await prefer(page, 'en', 'DARK');
  // The landing page and a form.
  await walk(page, ['/', '/sign-up?rc=WELCOME']);
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  // Charts, sections of forms, a dialog, and a list with filters.
  await walk(page, ['/usage', '/account', '/support/tickets?create=true', '/proxies']);
  await expectAccessible(page, '/proxies');
});

test('a screen of each layout of staff opens and fits a phone, and a list is accessible', async ({ page }) => {
  await prefer(page, 'ru', 'LIGHT');
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  // Numbers, figures of the system, and a list with filters.
  await walk(page, ['/admin', '/admin/system', '/admin/users']);
  await expectAccessible(page, '/admin/users');
});
