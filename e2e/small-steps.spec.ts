/** Details of the customer screens: focus, confirmations, and unnecessary requests. */
import { connect, listConnections } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import type { Page } from '@playwright/test';
import { callAs, createCustomer, download, enter, expect, test } from './product.ts';
import { misfits } from './screen-checks.ts';

/** Paths with parameters of the API's requests, in order. */
function watchRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/v1/')) requests.push(`${request.method()} ${pathname}${search}`);
  });
  return requests;
}

test('a new ticket opens its page without another request', async ({ page }) => {
  await createCustomer(page, 'asks-once@example.com');
  await enter(page, '/support/tickets', 'asks-once@example.com');
  await expect(page.getByText('You have no tickets yet', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Open ticket' }).click();
  await page.getByLabel('Name').fill('A question');
  await page.getByLabel('Description').fill('See https://example.com/help, please.');
  const requests = watchRequests(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Open ticket' }).click();
  await expect(page).toHaveURL(/\/support\/tickets\/[0-9a-f-]{36}$/);
  await expect(page.getByText('No messages yet.')).toBeVisible();
  // The event of the change arrives within this time.
  await page.waitForResponse((response) => response.url().includes('/v1/profile'), { timeout: 1500 }).catch(() => null);
  expect(requests.filter((request) => request.includes('/v1/support/'))).toEqual(['POST /v1/support/tickets']);

  await page.getByLabel('Your message').fill('Also https://example.org/more');
  await page.getByLabel('Your message').press('Control+Enter');
  const messages = page.getByRole('region', { name: 'Messages' });
  await expect(messages.getByRole('link')).toHaveAttribute('href', 'https://example.org/more');
});

test('the purchase dialog returns the focus, however it is closed', async ({ page }) => {
  // It fades in and out, as most users see it.
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await createCustomer(page, 'keyboard-only@example.com');
  await enter(page, '/proxies', 'keyboard-only@example.com');
  const buy = page.getByRole('region', { name: 'Available proxies' }).getByRole('button', { name: /^Buy / });
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('button', { name: 'Close' }).click(),
  ]) {
    await buy.nth(2).press('Enter');
    await expect(page.getByRole('button', { name: /^Buy for/ })).toBeVisible();
    await close();
    await expect(buy.nth(2)).toBeFocused();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
});

test('connections can be labelled, found, exported and disconnected together', async ({ page, product }) => {
  await createCustomer(page, 'with-several@example.com');
  await enter(page, '/proxies', 'with-several@example.com');
  const call = callAs(page, product.url);
  const { data: proxies } = await call(searchProxies, { query: {} });
  const bought = [];
  for (const { id, price } of proxies.filter((proxy) => proxy.price <= 0.5).slice(0, 2))
    bought.push((await call(connect, { body: { id, price } })).data);
  const [first, second] = bought as [(typeof bought)[0], (typeof bought)[0]];

  await page.goto(`/connection-history?connection=${first.id}`);
  const dialog = page.getByRole('dialog', { name: `Connection ${first.ip}` });
  await dialog.getByLabel('Label').fill('Shop');
  await dialog.getByLabel('Label').press('Enter');
  await expect(page.getByText('Label saved')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').fill('shop');
  await page.getByRole('searchbox').press('Enter');
  await expect(page).toHaveURL(/search=shop/);
  await expect(page.getByRole('row', { name: /Shop/ })).toHaveCount(1);
  await expect(page.getByRole('row')).toHaveCount(2);
  // The window has the least width at which this list is a table.
  expect(await misfits(page)).toEqual([]);

  await page.getByRole('button', { name: 'Export' }).click();
  const file = await download(page, () => page.getByRole('button', { name: 'Download 2 proxies' }).click());
  const line = ({ host, port, username, password }: typeof first) => `${host}:${port}:${username}:${password}\n`;
  expect(file).toBe(line(second) + line(first));

  await page.getByRole('button', { name: 'Disconnect several' }).click();
  const several = page.getByRole('dialog', { name: 'Disconnect several' });
  await several.getByLabel('All: 2 connections').check();
  await several.getByRole('button', { name: 'Disconnect 2' }).click();
  await expect(page.getByText('2 connections are disconnected')).toBeVisible();
  const { data } = await call(listConnections, { query: {} });
  expect(data.map(({ status }) => status)).toEqual(['DISCONNECT_USER', 'DISCONNECT_USER']);

  await page.goto('/connection-history?connection=00000000-0000-4000-8000-000000000000');
  await expect(page.getByText('There is no such connection in your history')).toBeVisible();
  await expect(page).toHaveURL(/\/connection-history$/);
});

test('offline, a screen that is not loaded keeps the menu, and loads when the network is back', async ({
  page,
  context,
}) => {
  await createCustomer(page, 'in-a-tunnel@example.com');
  await enter(page, '/faq', 'in-a-tunnel@example.com');
  await expect(page.locator('main details').first()).toBeVisible();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Referral programme' }).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('A part of this page could not be loaded');
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('Invite people')).toBeVisible();
});
