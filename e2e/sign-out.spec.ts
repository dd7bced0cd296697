import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { accessToken, enter, expect, SIGN_IN, signIn, test } from './product.ts';

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
