import type { UsageConnection } from '@cellhop/contract/usage';
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

function connection(id: number, spent: number, trafficUsed: number): UsageConnection {
  return {
    id: `00000000-0000-4000-8000-00000000000${id}`,
    ip: `198.18.0.${id}`,
    countryCode: 'DE',
    createdAt: `2026-11-0${id}T10:00:00.000Z`,
    spent,
    trafficUsed,
    uploaded: 0,
  };
}

test('usage per connection is sorted by its columns, by keyboard and on a phone, and the address keeps the order', async ({
  page,
}) => {
  const email = 'sorting@example.com';
  await createCustomer(page, email);
  const dear = connection(1, 2, 1024);
  const busy = connection(2, 1, 4096);
  // What the API makes of each order has tests of its own.
  await page.route('**/v1/usage?*', (route) => {
    const sort = new URL(route.request().url()).searchParams.get('sort');
    const connections = sort === '-trafficUsed' || sort === 'spent' ? [busy, dear] : [dear, busy];
    const total = { spent: 3, trafficUsed: 5120, uploaded: 0 };
    return route.fulfill({ json: { data: { total, points: [{ at: dear.createdAt, ...total }], connections } } });
  });
  await enter(page, '/usage', email);
  const table = page.getByRole('region', { name: 'By connection' });
  const header = (name: string) => table.getByRole('columnheader', { name });
  const firstRow = table.getByRole('row').nth(1);
  await expect(firstRow).toContainText(dear.ip);
  await expect(header('Spent')).toHaveAttribute('aria-sort', 'descending');
  await expect(header('Country').getByRole('button')).toHaveCount(0);

  await header('Used traffic').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/sort=-trafficUsed/);
  await expect(header('Used traffic')).toHaveAttribute('aria-sort', 'descending');
  await expect(header('Spent')).not.toHaveAttribute('aria-sort');
  await expect(firstRow).toContainText(busy.ip);
  await expect(header('Used traffic').getByRole('button')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(header('Used traffic')).toHaveAttribute('aria-sort', 'ascending');
  await expect(firstRow).toContainText(dear.ip);
  await page.goBack();
  await page.reload();
  await expect(firstRow).toContainText(busy.ip);

  await page.setViewportSize({ width: 390, height: 844 });
  const choice = page.getByRole('combobox', { name: 'Sort by' });
  await expect(choice).toHaveValue('-trafficUsed');
  await choice.selectOption('Spent, descending');
  await expect(page).not.toHaveURL(/sort=/);
  await choice.selectOption('Spent, ascending');
  await expect(page).toHaveURL(/sort=spent/);
  await expect(page.getByRole('list', { name: 'By connection' }).getByRole('listitem').first()).toContainText(busy.ip);
});
