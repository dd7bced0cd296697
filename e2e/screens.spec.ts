/** Each screen once; `npm run test:long` visits all of them in each look and at each width. */
import type { Page } from '@playwright/test';
import { staffStates } from './gallery-staff.ts';
import { menuPaths } from './menu.ts';
import { enter, expect, test } from './product.ts';
import { expectAccessible, expectFits, memberPages, prefer, publicPages, visit } from './screen-checks.ts';

/** A page of each kind: the landing page, a form, a list with filters, and a screen of staff. */
const INSPECTED = new Set(['/', '/sign-up?rc=WELCOME', '/proxies', '/admin/users']);

async function walk(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await visit(page, path);
    await expect(page.getByRole('main').getByRole('alert'), path).toHaveCount(0);
    await expectFits(page, path, [390]);
    if (INSPECTED.has(path)) await expectAccessible(page, path);
    await page.setViewportSize({ width: 1440, height: 900 });
  }
}

test('every screen opens, and fits a phone', async ({ page }) => {
  await prefer(page, 'en', 'DARK');
  await walk(page, publicPages);
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await walk(page, [...(await menuPaths(page, 'customers')), ...memberPages]);
});

test('every screen of staff opens, and fits a phone', async ({ page }) => {
  await prefer(page, 'ru', 'LIGHT');
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  await walk(page, [...(await menuPaths(page, 'staff')), ...staffStates.map(({ path }) => path)]);
});
