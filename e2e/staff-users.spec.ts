import type { Page } from '@playwright/test';
import { createCustomer, enter, expect, test } from './product.ts';
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

test('staff find a user by a part of the email, block and unblock them', { tag: '@long' }, async ({ page }) => {
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
  await page.getByRole('main').getByRole('link', { name: 'admin@example.com' }).first().click();
  await page.getByRole('link', { name: /^Referrals/ }).click();
  await expect(page.getByText('Only referrals of')).toBeVisible();
  await expect(page.getByRole('link', { name: /^found@example\.com/ })).toBeVisible();
});
