/** A screen of each layout; `npm run test:long` visits all screens in each look and at each width. */
import type { Page } from '@playwright/test';
import { enter, expect, test } from './product.ts';
import { expectAccessible, expectFits, PHONE_WIDTH, prefer, visit } from './screen-checks.ts';

async function walk(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await visit(page, path);
    await expect(page.getByRole('main').getByRole('alert'), path).toHaveCount(0);
    await expectFits(page, path, [PHONE_WIDTH]);
    await expectAccessible(page, path);
    await page.setViewportSize({ width: 1440, height: 900 });
  }
}

test('a screen of each layout opens, is accessible and fits a phone', async ({ page }) => {
  await prefer(page, 'en', 'DARK');
  // The landing page and a form.
  await walk(page, ['/', '/sign-up?rc=WELCOME']);
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  // A list with filters, charts, sections of forms, and a dialog.
  await walk(page, ['/proxies', '/usage', '/account', '/support/tickets?create=true']);
});

test('a screen of each layout of staff opens, is accessible and fits a phone', async ({ page }) => {
  await prefer(page, 'ru', 'LIGHT');
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  // Numbers, a list with filters, and figures of the system.
  await walk(page, ['/admin', '/admin/users', '/admin/system']);
});
