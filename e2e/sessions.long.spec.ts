import type { Page } from '@playwright/test';
import { createCustomer, enter, expect, SIGN_IN, test } from './product.ts';

test('a tab that misses a change of user shows no data of the previous user', async ({ page, context }) => {
  const next = 'next-user@example.com';
  await createCustomer(page, next);
  await enter(page, '/account', 'user@example.com', 'demo-password');
  const last = page.getByText('user@example.com', { exact: true });
  await expect(last.first()).toBeVisible();
  // From now on this tab can load no data.
  await page.route('**/v1/**', () => undefined);
  const other = await context.newPage();
  await enter(other, '/account', next);
  await expect(last).toHaveCount(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await expect(page.getByText(next, { exact: true }).first()).toBeVisible();
});

test('tabs that wake up together refresh the session once, and a refused refresh signs out', async ({
  page,
  context,
}) => {
  const email = 'sleepy@example.com';
  await createCustomer(page, email);
  // Neither tab sends a request before both are open.
  await enter(page, '/favicon.svg', email);
  const other = await context.newPage();
  const refreshes: string[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/refresh-tokens')) refreshes.push(request.url());
  });

  await expire(page, 9000);
  await Promise.all([page.goto('/proxies'), other.goto('/connection-history')]);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Proxies');
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Connection history');
  expect(refreshes).toHaveLength(1);

  await page.evaluate(() => {
    const tokens = JSON.parse(localStorage.getItem('tokens')!) as Record<string, unknown>;
    localStorage.setItem('tokens', JSON.stringify({ ...tokens, refreshToken: 'never given', accessTokenExpiredAt: 0 }));
  });
  await page.reload();
  await expect(page).toHaveURL(SIGN_IN);
  await expect(other).toHaveURL(SIGN_IN);
});

test('a chunk of the web app that fails to load leads to the error page', async ({ page }) => {
  await page.route('**/assets/sign-up-page-*.js', (route) => route.abort());
  await page.goto('/sign-up');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Something went wrong');
  await expect(page.getByText('A part of this page could not be loaded', { exact: false })).toBeVisible();
  // The whole screen, not a card in the layout of the page that failed.
  await expect(page.getByRole('main')).toHaveCount(1);
  await expect(page.getByLabel('Language')).toHaveCount(0);
  await page.unroute('**/assets/sign-up-page-*.js');
  await page.getByRole('button', { name: 'Reload page' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Create an account');
});

test('a screen whose code fails to load shows an error beside the menu', async ({ page }) => {
  await page.route('**/assets/account-page-*.js', (route) => route.abort());
  await enter(page, '/account', 'user@example.com', 'demo-password');
  await expect(page.getByRole('main').getByRole('alert')).toContainText('A part of this page could not be loaded');
  await page.getByRole('link', { name: 'Usage' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Usage');
});

/** Changes the stored expiry of the access token to `leftMs` from now. */
async function expire(page: Page, leftMs: number): Promise<void> {
  await page.evaluate((left) => {
    const tokens = JSON.parse(localStorage.getItem('tokens')!) as Record<string, unknown>;
    localStorage.setItem('tokens', JSON.stringify({ ...tokens, accessTokenExpiredAt: Date.now() + left }));
  }, leftMs);
}
