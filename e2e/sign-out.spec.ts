import { LIVE_EVENTS_PATH } from '@cellhop/contract/live';
import { once } from 'node:events';
import type { Page } from '@playwright/test';
import { accessToken, createCustomer, enter, expect, SIGN_IN, signIn, test } from './product.ts';

test('logging out ends the session in every tab, and protected pages lead to sign-in', async ({ page, context }) => {
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
  await test.step('and signing in leads the other tabs in', async () => {
    await signIn(page, 'user@example.com', 'demo-password');
    await expect(other).toHaveURL(/\/connection-history$/);
  });
});

test('a 401 in one tab signs the others out', async ({ page, context }) => {
  // The stream would tell the tabs before one of them asks.
  await context.route(`**${LIVE_EVENTS_PATH}`, (route) => route.abort());
  await enter(page, '/connection-history', 'user@example.com', 'demo-password');
  const other = await context.newPage();
  await other.goto('/payments/invoices');
  await expect(other.getByRole('button', { name: 'Create new invoice' }).first()).toBeVisible();
  // The other tab asks nothing any more, so that only the first one can find out.
  await other.route('**/v1/**', () => undefined);
  const headers = { authorization: `Bearer ${await accessToken(page)}` };
  await page.request.post('/v1/auth/logout', { headers });
  // Either it asks because of the click, or it has asked by itself before: without the stream it does every few seconds.
  await Promise.any([page.getByRole('link', { name: 'Proxies' }).first().click(), page.waitForURL(SIGN_IN)]);
  await expect(page).toHaveURL(SIGN_IN);
  await expect(other).toHaveURL(SIGN_IN);
  expect(await page.evaluate(() => localStorage.getItem('tokens'))).toBeNull();
});

test('a tab that hears of sign-out and sign-in together shows nothing of the last user', async ({ page, context }) => {
  const next = 'next-user@example.com';
  await createCustomer(page, next);
  await enter(page, '/account', 'user@example.com', 'demo-password');
  const last = page.getByText('user@example.com', { exact: true });
  await expect(last.first()).toBeVisible();
  // What this tab shows from now on it cannot have asked for.
  await page.route('**/v1/**', () => undefined);
  const other = await context.newPage();
  await enter(other, '/account', next);
  await expect(last).toHaveCount(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await expect(page.getByText(next, { exact: true }).first()).toBeVisible();
});

test('tabs that wake up together refresh once, and a refused refresh signs out', async ({ page, context }) => {
  const email = 'sleepy@example.com';
  await createCustomer(page, email);
  // Neither tab asks anything before both of them do.
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

test('who has signed in is led past the pages for visitors, and unknown paths lead home', async ({ page }) => {
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

test('a spinner until the server has answered, and a page for failures with a way to start again', async ({ page }) => {
  let isDown = true;
  const answering = new AbortController();
  const asked = once(answering.signal, 'abort');
  await page.route('**/v1/profile', async (route) => {
    if (!isDown) return route.continue();
    await asked;
    return route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>Bad gateway</h1>' });
  });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
  answering.abort();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Something went wrong');
  await expect(page.getByText('An error occurred, please try again later')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Log Out' })).toBeVisible();
  isDown = false;
  await page.getByRole('button', { name: 'Reload page' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Proxies');
});

test('a part of the web app that cannot be loaded ends on the page for failures', async ({ page }) => {
  await page.route('**/assets/sign-up-screen-*.js', (route) => route.abort());
  await page.goto('/sign-up');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Something went wrong');
  await expect(page.getByText('A part of this page could not be loaded', { exact: false })).toBeVisible();
  // The whole screen, not a card in the layout of the page that failed.
  await expect(page.getByRole('main')).toHaveCount(1);
  await expect(page.getByLabel('Language')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Reload page' })).toBeVisible();
});

test('a screen that fails leaves the menu usable, can be tried again, and is reported', async ({ page }) => {
  await page.route('**/v1/faqs**', (route) =>
    route.fulfill({ json: { data: 'a secret of the server', totalPages: 1 } }),
  );
  const reports: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/browser-errors')) reports.push(request.postDataJSON());
  });
  await enter(page, '/faq', 'user@example.com', 'demo-password');
  const failure = page.getByRole('main').getByRole('alert');
  await expect(failure).toHaveText(/^An error occurred\. Reload the page or try again later/);
  await expect.poll(() => reports).toEqual([expect.objectContaining({ name: 'TypeError', path: '/faq' })]);

  await page.getByRole('link', { name: 'Usage' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Usage');
  await expect(failure).toHaveCount(0);
  await page.getByRole('link', { name: 'FAQ' }).click();
  await expect(failure).toBeVisible();
  await page.unrouteAll();
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(failure).toHaveCount(0);
  await expect(page.getByRole('main').locator('details').first()).toBeVisible();
});

test('a screen whose code does not arrive says so beside the menu', async ({ page }) => {
  await page.route('**/assets/account-screen-*.js', (route) => route.abort());
  await enter(page, '/account', 'user@example.com', 'demo-password');
  await expect(page.getByRole('main').getByRole('alert')).toContainText('A part of this page could not be loaded');
  await page.getByRole('link', { name: 'Usage' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Usage');
});

test('a public message that is not ours is quoted as text, whatever it contains', async ({ page }) => {
  const message = '<img src=x onerror="document.title=1"><b>bold</b>';
  await page.goto(`/public-message?message=${encodeURIComponent(message)}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Message');
  await expect(page.getByText(message)).toHaveCSS('font-size', '13px');
  await expect(page.getByRole('main').locator('img, b')).toHaveCount(0);
  await page.getByRole('link', { name: 'Back to home' }).click();
  await expect(page).toHaveURL(SIGN_IN);
});

/** Lets the stored access token end in so many milliseconds, as far as the browser knows. */
async function expire(page: Page, leftMs: number): Promise<void> {
  await page.evaluate((left) => {
    const tokens = JSON.parse(localStorage.getItem('tokens')!) as Record<string, unknown>;
    localStorage.setItem('tokens', JSON.stringify({ ...tokens, accessTokenExpiredAt: Date.now() + left }));
  }, leftMs);
}
