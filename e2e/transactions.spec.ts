import { connect, disconnect } from '@cellhop/contract/connections';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { searchProxies } from '@cellhop/contract/proxies';
import { callAs, createCustomer, enter, expect, test } from './product.ts';
import { expectAccessible } from './screen-checks.ts';

test('filters of transactions are in the URL, survive a reload and can be reset', async ({ page }) => {
  await createCustomer(page, 'filter@example.com');
  await enter(page, '/transactions', 'filter@example.com');
  const rows = page.getByRole('region', { name: 'Your transactions' }).getByRole('row');
  await expect(rows).toHaveCount(2);

  // By keyboard: the options cover the field.
  const kind = page.getByRole('combobox', { name: 'Type' });
  await kind.press('ArrowDown');
  await page.getByRole('option', { name: 'Trial credit' }).click();
  await expect(page.getByRole('option', { name: 'Trial credit' })).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('option', { name: 'Refund' }).click();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\?kind=TRIAL&kind=REFUND$/);
  await page.reload();
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toContainText('Promo code WELCOME');

  const to = page.getByRole('textbox', { name: 'To' });
  await to.pressSequentially('31022020');
  await to.press('Enter');
  await expect(to).toHaveValue('31.02.2020');
  await expect(page.getByText('This date does not exist')).toBeVisible();
  await to.fill('31.01.2020');
  await expect(page.getByText('No transactions match these filters.')).toBeVisible();
  await expect(page).toHaveURL(/to=2020-01-31/);
  await page.getByRole('button', { name: 'To: calendar' }).click();
  await expect(page.getByRole('button', { name: '31 January 2020' })).toBeFocused();
  await expectAccessible(page, 'calendar');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(to).toHaveValue('30.01.2020');
  await expect(page).toHaveURL(/to=2020-01-30/);
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(to).toHaveValue('');
  await expect(page).toHaveURL(/\/transactions$/);
  await expect(rows).toHaveCount(2);
});

test('staff with permission to read transactions see the result of the reconciliation; customers do not', async ({
  page,
}) => {
  await enter(page, '/transactions', 'admin@example.com', 'demo-password');
  await expect(page.getByText('Balanced', { exact: true })).toBeVisible();
  await enter(page, '/transactions', 'user@example.com', 'demo-password');
  // The first row; other tests of this product may have added more.
  await expect(page.getByRole('region', { name: 'Your transactions' }).getByRole('row').nth(1)).toBeVisible();
  await expect(page.getByText('Balanced', { exact: true })).toBeHidden();
});

test('a receipt that fails to load can be retried; without the stream it still shows the end', async ({
  page,
  product,
}) => {
  await page.route(`**${LIVE_EVENTS_PATH}`, (route) => route.abort());
  await createCustomer(page, 'receipt-failure@example.com');
  await enter(page, '/connection-history', 'receipt-failure@example.com');
  const client = callAs(page, product.url);
  const { data: proxies } = await client(searchProxies, { query: {} });
  const { id, price } = proxies.find((proxy) => proxy.price <= 2)!;
  const { data: bought } = await client(connect, { body: { id, price } });
  await page.route('**/cost', (route) => route.fulfill({ status: 500, body: '' }));
  await page.reload();
  await page.getByRole('button', { name: /^Details of / }).click();
  await expect(page.getByText('The receipt could not be loaded')).toBeVisible();
  await page.unroute('**/cost');
  await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
  const charges = page.getByRole('region', { name: 'Charges' });
  await expect(charges).toBeVisible();
  await client(disconnect, { params: { id: bought.id } });
  await expect(charges.getByRole('row', { name: /Refund, MB 1–50/ })).toBeVisible();
});
