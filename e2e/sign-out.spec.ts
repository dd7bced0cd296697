import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import type { Page } from '@playwright/test';
import { accessToken, createCustomer, enter, expect, SIGN_IN, signIn, test } from './product.ts';

test('sign-out ends the session in all tabs, and protected pages redirect to sign-in', async ({ page, context }) => {
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  const other = await context.newPage();
  await other.goto('/connection-history');
  await expect(other.getByRole('heading', { level: 1 })).toContainText('Connection history');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Log Out' }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await expect(other).toHaveURL(SIGN_IN);
  for (const path of ['/proxies', '/account']) {
    await page.goto(path);
    await expect(page).toHaveURL(SIGN_IN);
  }
  await test.step('and sign-in returns the other tabs to their pages', async () => {
    await signIn(page, 'user@example.com', 'demo-password');
    await expect(other).toHaveURL(/\/connection-history$/);
  });
});

test('a 401 in one tab signs the others out', async ({ page, context }) => {
  // The stream would notify the tabs before one of them sends a request.
  await context.route(`**${LIVE_EVENTS_PATH}`, (route) => route.abort());
  await enter(page, '/connection-history', 'user@example.com', 'demo-password');
  const other = await context.newPage();
  await other.goto('/payments/invoices');
  await expect(other.getByRole('button', { name: 'Create new invoice' }).first()).toBeVisible();
  // The other tab sends no requests any more, so only the first one gets the 401.
  await other.route('**/v1/**', () => undefined);
  const headers = { authorization: `Bearer ${await accessToken(page)}` };
  await page.request.post('/v1/auth/logout', { headers });
  // Either the click sends a request, or polling already did: without the stream it polls every few seconds.
  await Promise.any([page.getByRole('link', { name: 'Proxies' }).first().click(), page.waitForURL(SIGN_IN)]);
  await expect(page).toHaveURL(SIGN_IN);
  await expect(other).toHaveURL(SIGN_IN);
  expect(await page.evaluate(() => localStorage.getItem('tokens'))).toBeNull();
});

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
