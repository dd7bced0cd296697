import { listTransactions } from '@cellhop/contract/transactions';
import { toDollars, toMicros } from '@cellhop/contract/units';
import { buyProxy, callAs, createCustomer, enter, expect, test } from './product.ts';

const money = (micros: bigint) => `$${toDollars(micros < 0n ? -micros : micros).toFixed(2)}`;

test('a monthly statement has the company and the sums of the transactions, and prints nothing else', async ({
  page,
  product,
}) => {
  await createCustomer(page, 'bookkeeper@example.com');
  await enter(page, '/account', 'bookkeeper@example.com');
  await page.getByLabel('Company name').fill('Rohrpost GmbH');
  await page.getByLabel('Address').fill('Hauptstraße 1\n10115 Berlin');
  await page.getByLabel('Tax number').fill('<1>');
  await expect(page.getByText('Letters and digits, with spaces', { exact: false })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save company' })).toBeDisabled();
  await page.getByLabel('Tax number').fill('DE 123 456 789');
  await page.getByRole('button', { name: 'Save company' }).click();
  await expect(page.getByText('Company saved')).toBeVisible();

  const call = callAs(page, product.url);
  await buyProxy(call);
  await page.goto('/transactions');
  await page.getByRole('button', { name: 'Monthly statement' }).click();
  const dialog = page.getByRole('dialog', { name: 'Monthly statement' });
  await expect(dialog.getByText('Rohrpost GmbH')).toContainText('10115 Berlin');
  await expect(dialog.getByText('Rohrpost GmbH')).toContainText('Tax number: DE 123 456 789');
  const rows = (await call(listTransactions, { query: {} })).data;
  const spent = toMicros(rows.find(({ kind }) => kind === 'PREPAID_50_MB')!.amount);
  expect(rows).toHaveLength(2);
  const row = (name: string) => dialog.getByRole('row', { name: new RegExp(`^${name}`) });
  await expect(row('Balance at the beginning')).toContainText('$0.00');
  await expect(row('Trial credit')).toContainText('+$1.00');
  await expect(row('Services used')).toContainText(money(spent));
  await expect(row('Balance at the end')).toContainText(money(1_000_000n + spent));

  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button', { name: 'Print or save as PDF' })).toBeHidden();
  await expect(page.locator('#root')).toBeHidden();
  await expect(row('Balance at the end')).toBeVisible();
  // On the first page.
  expect((await dialog.getByRole('heading', { name: /^Statement for/ }).boundingBox())!.y).toBeLessThan(300);
  await page.emulateMedia({ media: 'screen' });
  await page.reload();
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/transactions$/);
});

test('a printed receipt has the proxy and the charges, but no password', async ({ page, product }) => {
  await createCustomer(page, 'prints-receipts@example.com');
  await enter(page, '/connection-history', 'prints-receipts@example.com');
  const call = callAs(page, product.url);
  const bought = await buyProxy(call);
  await page.goto(`/connection-history?connection=${bought.id}`);
  const dialog = page.getByRole('dialog', { name: `Connection ${bought.ip}` });
  const password = dialog.getByText(bought.password!).first();
  await expect(password).toBeVisible();
  const charge = dialog.getByRole('row', { name: /Purchase/ });
  await expect(charge).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(password).toBeHidden();
  await expect(charge).toBeVisible();
  await expect(dialog.getByRole('heading', { name: `Connection ${bought.ip}` })).toBeVisible();
});
