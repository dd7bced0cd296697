import type { Page } from '@playwright/test';
import pg from 'pg';
import { accessToken, clickTwice, createCustomer, enter, expect, signIn, test } from './product.ts';
import { expectGood } from './screen-checks.ts';

const ADMIN = 'admin@example.com';
/** Restores the width: the check of widths ends with that of a phone, where rows are cards. */
const WIDE = { width: 1440, height: 900 };
const REASON = 'goodwill after the outage';

/** @returns the id of a new customer, who gets a role if one is given */
async function newUser(page: Page, { url }: { url: string }, email: string, roleName = 'USER'): Promise<string> {
  await createCustomer(page, email);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: string }>('update users set role_name = $2 where email = $1 returning id', [
    email,
    roleName,
  ]);
  await client.end();
  return rows[0]!.id;
}

async function adjust(page: Page, amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Adjust balance' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount, USD').fill(amount);
  await dialog.getByLabel('Reason').fill(REASON);
  await clickTwice(dialog.getByRole('button', { name: `Credit $${Number(amount).toFixed(2)}`, exact: true }));
  await expect(dialog).toHaveCount(0);
}

test(
  'an adjustment is in the ledger, the statement of the customer and the audit log',
  { tag: '@long' },
  async ({ page, database }) => {
    const email = 'adjusted@example.com';
    const id = await newUser(page, database, email);
    await enter(page, `/admin/users/${id}/transactions`, ADMIN, 'demo-password');
    await adjust(page, '5.5');
    await expect(page.getByText('Balance adjusted')).toBeVisible();
    // The double click was one adjustment; the trial credit is the other row.
    await expect(page.getByRole('row')).toHaveCount(3);
    await expect(page.getByRole('row', { name: /Adjustment by support/ })).toContainText(REASON);
    await expect(page.getByText('$6.50').first()).toBeVisible();
    await expectGood(page, 'ledger');
    await page.setViewportSize(WIDE);

    await page.goto(`/admin/audit-log?action=BALANCE_ADJUSTED&userId=${id}`);
    const entry = page.getByRole('row', { name: /adjusted the balance of/ });
    await expect(entry).toContainText(ADMIN);
    await expect(entry).toContainText(REASON);
    await expect(entry).toContainText('1 → 6.5');

    await page.evaluate(() => localStorage.clear());
    await signIn(page, email);
    await page.goto('/transactions');
    await expect(page.getByRole('row', { name: /Adjustment by support/ })).toContainText('+$5.50');
    await expect(page.getByText(REASON)).toHaveCount(0);
  },
);

test('an amount above the limit waits until somebody else approves it', async ({ page, database }) => {
  const id = await newUser(page, database, 'waiting@example.com');
  await newUser(page, database, 'second@example.com', 'FINANCE');
  await enter(page, `/admin/users/${id}/transactions`, ADMIN, 'demo-password');
  await adjust(page, '250');
  await expect(page.getByText(/The request is pending until another staff member approves it/)).toBeVisible();
  await page.goto('/admin/approvals');
  const request = page.getByRole('row', { name: /waiting@example\.com/ });
  await expect(request.getByRole('button', { name: /^Withdraw/ })).toBeVisible();
  await expect(request.getByRole('button', { name: /^Approve/ })).toHaveCount(0);

  await page.evaluate(() => localStorage.clear());
  await enter(page, '/admin/approvals', 'second@example.com');
  await expect(page.getByText('1 pending request')).toBeVisible();
  await request.getByRole('button', { name: /^Approve/ }).click();
  await expect(page.getByRole('dialog')).toContainText('You will credit $250.00 to waiting@example.com.');
  await page.getByRole('dialog').getByRole('button', { name: 'Approve: credit $250.00' }).click();
  await expect(request).toContainText('Approved');
  await page.goto(`/admin/users/${id}/transactions`);
  await expect(page.getByRole('row', { name: /Adjustment by support/ })).toContainText('+$250.00');
});

test('an invoice is settled by hand', { tag: '@long' }, async ({ page, database }) => {
  const email = 'settled@example.com';
  const id = await newUser(page, database, email);
  await enter(page, '/payments/invoices', email);
  const headers = { authorization: `Bearer ${await accessToken(page)}` };
  const data = { currency: 'BTC', amount: 25 };
  expect((await page.request.post('/v1/payments/invoices', { data, headers })).status()).toBe(201);

  // The administrator owns the promo code of the sign-up, so a settlement by them would need approval.
  const cashier = 'cashier@example.com';
  await newUser(page, database, cashier, 'FINANCE');
  await page.evaluate(() => localStorage.clear());
  await enter(page, `/admin/payment/invoices?userId=${id}`, cashier);
  await page.getByRole('button', { name: /^Details of the \$25\.00 invoice/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('No payment has arrived yet.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Settle manually' }).click();
  await expect(dialog.getByLabel('Amount, USD')).toHaveValue('25');
  await dialog.getByLabel('Reason').fill('paid to an old address');
  await clickTwice(dialog.getByRole('button', { name: 'Credit $25.00', exact: true }));
  await expect(dialog.getByText('Recorded by staff')).toBeVisible();
  await expect(dialog.getByText('Paid', { exact: true })).toBeVisible();
  await expectGood(page, 'invoice');
  await page.setViewportSize(WIDE);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row', { name: new RegExp(email) })).toContainText('Paid');
});
