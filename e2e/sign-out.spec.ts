import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { once } from 'node:events';
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

test('signed-in users skip the pages for visitors, and unknown paths link to the home page', async ({ page }) => {
  await enter(page, '/sign-in', 'user@example.com', 'demo-password');
  await expect(page).toHaveURL(/\/proxies$/);
  for (const path of ['/sign-up?rc=WELCOME', '/restore-access/set-password?code=x']) {
    await page.goto(path);
    await expect(page).toHaveURL(/\/proxies$/);
  }
  await page.goto('/');
  await expect(page).toHaveURL(/\/$/);
  await page.goto('/no/such/page');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page does not exist');
  await page.getByRole('link', { name: 'Back to home' }).click();
  await expect(page).toHaveURL(/\/proxies$/);
});

test('without a code there is no page for a new password', async ({ page }) => {
  await page.goto('/restore-access/set-password');
  await expect(page).toHaveURL(SIGN_IN);
});

test('a spinner while the profile loads, and an error page with a reload button', async ({ page }) => {
  let isDown = true;
  const response = new AbortController();
  const responded = once(response.signal, 'abort');
  await page.route('**/v1/profile', async (route) => {
    if (!isDown) return route.continue();
    await responded;
    return route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>Bad gateway</h1>' });
  });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
  response.abort();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Something went wrong');
  await expect(page.getByText('An error occurred, please try again later')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Log Out' })).toBeVisible();
  isDown = false;
  await page.getByRole('button', { name: 'Reload page' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Proxies');
});

test('a chunk of the web app that fails to load leads to the error page', async ({ page }) => {
  await page.route('**/assets/sign-up-screen-*.js', (route) => route.abort());
  await page.goto('/sign-up');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Something went wrong');
  await expect(page.getByText('A part of this page could not be loaded', { exact: false })).toBeVisible();
  // The whole screen, not a card in the layout of the page that failed.
  await expect(page.getByRole('main')).toHaveCount(1);
  await expect(page.getByLabel('Language')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Reload page' })).toBeVisible();
});

test('a screen that fails keeps the menu, can be retried, and is reported', async ({ page, errorReports }) => {
  await page.route('**/v1/faqs**', (route) =>
    route.fulfill({ json: { data: 'a secret of the server', totalPages: 1 } }),
  );
  await enter(page, '/faq', 'user@example.com', 'demo-password');
  const failure = page.getByRole('main').getByRole('alert');
  await expect(failure).toHaveText(/^An error occurred\. Reload the page or try again later/);
  await expect.poll(() => errorReports).toEqual([expect.objectContaining({ name: 'TypeError', path: '/faq' })]);

  await page.getByRole('link', { name: 'Usage' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Usage');
  await expect(failure).toHaveCount(0);
  await page.getByRole('link', { name: 'FAQ' }).click();
  await expect(failure).toBeVisible();
  await page.unrouteAll();
  // A navigation that ends after the screen has failed renders it again, so it may recover before the click.
  const answers = page.getByRole('main').locator('details');
  await failure.getByRole('button', { name: 'Try again' }).or(answers.first()).first().click();
  await expect(failure).toHaveCount(0);
  await expect(answers.first()).toBeVisible();
  errorReports.length = 0;
});

test('a screen whose code fails to load shows an error beside the menu', async ({ page }) => {
  await page.route('**/assets/account-screen-*.js', (route) => route.abort());
  await enter(page, '/account', 'user@example.com', 'demo-password');
  await expect(page.getByRole('main').getByRole('alert')).toContainText('A part of this page could not be loaded');
  await page.getByRole('link', { name: 'Usage' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Usage');
});

test('an unknown public message is quoted as plain text', async ({ page }) => {
  const message = '<img src=x onerror="document.title=1"><b>bold</b>';
  await page.goto(`/public-message?message=${encodeURIComponent(message)}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Message');
  await expect(page.getByText(message)).toHaveCSS('font-size', '13px');
  await expect(page.getByRole('main').locator('img, b')).toHaveCount(0);
  await page.getByRole('link', { name: 'Back to home' }).click();
  await expect(page).toHaveURL(SIGN_IN);
});

/** Changes the stored expiry of the access token to `leftMs` from now. */
async function expire(page: Page, leftMs: number): Promise<void> {
  await page.evaluate((left) => {
    const tokens = JSON.parse(localStorage.getItem('tokens')!) as Record<string, unknown>;
    localStorage.setItem('tokens', JSON.stringify({ ...tokens, accessTokenExpiredAt: Date.now() + left }));
  }, leftMs);
}
