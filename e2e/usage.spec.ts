import type { Locator } from '@playwright/test';
import fs from 'node:fs/promises';
import { createCustomer, enter, expect, test } from './product.ts';

/** In the newest hour, or in the one before if the hour has changed since the purchase. */
async function focusNewestCost(spending: Locator): Promise<void> {
  await spending.focus();
  if ((await spending.getAttribute('aria-valuetext'))?.endsWith('$0.00')) await spending.press('ArrowLeft');
}

test('usage shows the cost of a purchase as a chart, as a table and as CSV', async ({ page }) => {
  const email = 'counting@example.com';
  await createCustomer(page, email);
  await page.route('**/v1/usage?*', (route) => route.fulfill({ status: 500, json: {} }));
  await enter(page, '/usage', email);
  await expect(page.getByText('Usage could not be loaded')).toBeVisible();
  // No placeholder is shown beside the error.
  await expect(page.getByRole('table')).toHaveCount(0);
  await page.unroute('**/v1/usage?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Nothing was spent in this period.')).toBeVisible();
  await expect(page.getByText('No connection used any traffic in this period.')).toBeVisible();
  await page.goto('/proxies');
  await page
    .getByRole('button', { name: /^Buy 198\.18\./ })
    .first()
    .click();
  const buy = page.getByRole('dialog').getByRole('button', { name: /^Buy for/ });
  const price = (await buy.innerText()).replace('Buy for ', '');
  await buy.click();
  await expect(page.getByText('The proxy is yours.', { exact: false })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('button', { name: '24 hours' }).click();
  await expect(page).toHaveURL(/\/usage\?range=day$/);
  await expect(page.getByRole('term').filter({ hasText: 'Spent' }).locator('..')).toContainText(price);
  const spending = page.getByRole('slider', { name: 'Spending' });
  // Until the hours have loaded, the chart shows the days.
  await expect(spending).toHaveAttribute('max', '23');
  await focusNewestCost(spending);
  await expect(spending).toHaveAttribute('aria-valuetext', new RegExp(price.replace('$', '\\$')));
  await page.keyboard.press('ArrowLeft');
  await expect(spending).toHaveAttribute('aria-valuetext', /\$0\.00$/);

  await page.getByText('Show as a table').click();
  await expect(page.getByRole('row', { name: new RegExp(price.replace('$', '\\$')) }).first()).toBeVisible();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const csv = await fs.readFile(await (await saving).path(), 'utf8');
  expect(csv.split('\r\n')).toHaveLength(24 + 2);
  expect(csv).toContain(`,${Number(price.slice(1))}\r\n`);

  await page.getByRole('button', { name: /^Show only 198\.18\./ }).click();
  await expect(page).toHaveURL(/connection=/);
  await page.reload();
  await expect(page.locator('main').getByRole('button', { name: /^(Show only|Only) 198/ })).toHaveCount(2);

  await page.getByRole('button', { name: 'Custom range' }).click();
  await page.getByRole('textbox', { name: 'From' }).fill('10.02.2026');
  await page.getByRole('textbox', { name: 'To' }).fill('01.02.2026');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByText('The start date must not be after the end date')).toBeVisible();
  await page.getByRole('textbox', { name: 'To' }).fill('19.02.2026');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page).toHaveURL(/from=2026-02-10&to=2026-02-19/);
  await expect(page.getByRole('slider', { name: 'Spending' })).toHaveAttribute('aria-valuetext', /^19\.02\.2026/);
});
