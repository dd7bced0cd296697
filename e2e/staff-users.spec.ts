import type { Page } from '@playwright/test';
import { accessToken, createCustomer, enter, expect, test } from './product.ts';
import { expectGood } from './screen-checks.ts';

const ADMIN = ['admin@example.com', 'demo-password'] as const;

async function openUser(page: Page, email: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Email' }).fill(email);
  const row = page.getByRole('row').filter({ hasText: email });
  await expect(page.getByRole('row')).toHaveCount(2);
  // The link covers the whole row.
  await row.getByRole('cell').last().click({ force: true });
  await expect(page.getByRole('heading', { name: email, level: 2 })).toBeVisible();
}

async function confirmWithReason(page: Page, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const button = dialog.getByRole('button', { name: action, exact: true });
  await expect(button).toBeDisabled();
  await dialog.getByLabel('Reason').fill('as agreed by mail');
  await button.click();
  await expect(dialog).toBeHidden();
}

test('staff find a user by a part of the email, block and unblock them', async ({ page }) => {
  await createCustomer(page, 'found@example.com');
  await enter(page, '/admin/users?status=ACTIVE', ...ADMIN);
  await openUser(page, 'found@');
  const chips = page.getByRole('list', { name: 'Account status' });
  await expect(chips).toContainText('Email confirmed');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await confirmWithReason(page, 'Block');
  await expect(chips).toContainText('Blocked');
  await page.getByRole('button', { name: 'Unblock' }).click();
  await confirmWithReason(page, 'Unblock');
  await expect(chips).toContainText('Active');
  await expectGood(page, 'the page of a user');
  // The referrer is the owner of the promo code of the sign-up.
  await page.getByRole('article').getByRole('link', { name: 'admin@example.com' }).click();
  await page.getByRole('link', { name: 'Referrals' }).click();
  await expect(page.getByText('Only referrals of')).toBeVisible();
  await expect(page.getByRole('link', { name: /^found@example\.com/ })).toBeVisible();
});

test('staff create a role and give it to a user; a change in between is shown, not overwritten', async ({ page }) => {
  await createCustomer(page, 'promoted@example.com');
  await enter(page, '/admin/roles', ...ADMIN);
  await page.getByRole('button', { name: 'Create role' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('night shift');
  await dialog.getByLabel('TICKETS_READ').check();
  await dialog.getByRole('button', { name: 'Create role' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'NIGHT_SHIFT' })).toContainText('TICKETS_READ');
  await page.goto('/admin/users');
  await openUser(page, 'promoted@');
  await page.getByRole('button', { name: 'Change role' }).click();
  await dialog.getByRole('combobox', { name: 'New role' }).click();
  await page.getByRole('option', { name: 'NIGHT_SHIFT' }).click();
  // Somebody else changes the user first.
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  const response = await page.request.patch(`/v1/users/admin/${id}/role`, {
    headers: { authorization: `Bearer ${await accessToken(page)}` },
    data: { role: 'SUPPORT', reason: 'they were faster' },
  });
  expect(response.status()).toBe(200);
  await confirmWithReason(page, 'Change role');
  await expect(page.getByText('Someone else has changed this')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Account status' })).toContainText('SUPPORT');
});

test('an account with a balance is not deleted; without one it is', async ({ page }) => {
  await createCustomer(page, 'leaving@example.com');
  await enter(page, '/admin/users', ...ADMIN);
  await openUser(page, 'leaving@');
  await page.getByRole('button', { name: 'Delete' }).click();
  await confirmWithReason(page, 'Delete');
  await expect(page.getByText('The balance is not zero')).toBeVisible();
  await page.getByRole('link', { name: 'Users' }).last().click();
  await openUser(page, 'support@');
  await page.getByRole('button', { name: 'Delete' }).click();
  await confirmWithReason(page, 'Delete');
  await expect(page.getByRole('list', { name: 'Account status' })).toContainText('Deleted');
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0);
});
