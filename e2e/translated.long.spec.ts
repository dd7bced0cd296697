import type { Page } from '@playwright/test';
import { wrapTexts } from '../web/test/translator.ts';
import { staffStates } from './gallery-staff.ts';
import { menuPaths } from './menu.ts';
import { buyProxy, clientAs, enter, expect, test } from './product.ts';
import { memberPages, PHONE_WIDTH, prefer, publicPages } from './screen-checks.ts';

/** Renders everything again between two runs of the translator: tables as cards and back, and the other language. */
async function useTranslated(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 }).first(), path).toBeVisible();
  await page.evaluate(wrapTexts);
  await page.setViewportSize({ width: PHONE_WIDTH, height: 844 });
  await page.evaluate(wrapTexts);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.evaluate(wrapTexts);
  for (const language of ['ru', 'en'] as const) {
    const choices = page.locator('select:has(option[value="ru"])').first();
    if (!(await choices.isVisible())) break;
    await choices.selectOption(language);
    await expect(page.locator('html'), path).toHaveAttribute('lang', language);
    await page.evaluate(wrapTexts);
  }
  // The page of a failure has no other heading; reported errors fail the test too.
  await expect(page.getByRole('heading', { level: 1 }).first(), path).toBeVisible();
  await expect(page.getByText(/^Something went wrong|^Что-то пошло не так/), path).toHaveCount(0);
}

test('every screen of visitors and customers works on a translated page', async ({ page, product }) => {
  await buyProxy(await clientAs('user@example.com', product.url));
  await prefer(page, 'en', 'DARK');
  for (const path of publicPages) await useTranslated(page, path);
  // A language that is chosen here would be saved for a user whom other tests share.
  await page.route('**/v1/profile', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 200, json: {} }) : route.continue(),
  );
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  for (const path of [...(await menuPaths(page, 'customers')), ...memberPages]) await useTranslated(page, path);
});

test('every screen of staff works on a translated page', async ({ page }) => {
  await prefer(page, 'en', 'DARK');
  await page.route('**/v1/profile', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 200, json: {} }) : route.continue(),
  );
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  for (const path of [...(await menuPaths(page, 'staff')), ...staffStates.map((state) => state.path)])
    await useTranslated(page, path);
});
