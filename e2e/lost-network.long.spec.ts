import type { Request } from '@playwright/test';
import { enter, expect, test } from './product.ts';

test('a lost network and a timeout show a message and can be retried', async ({ page, context }) => {
  // The network fails while the styles of later popups load.
  const lost = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/controls-'));
  let isLost = true;
  await page.route('**/assets/controls-*.css', (route) => (isLost ? route.abort() : route.continue()));
  // Browsers never retry a module that failed to load; this test is about stylesheets and data.
  const loading = new Set<Request>();
  page.on('request', (request) => request.url().endsWith('.js') && loading.add(request));
  page.on('requestfinished', (request) => loading.delete(request));
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(1 + 50);
  await lost;
  // The parts that load when the page is idle have begun to load.
  await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())));
  await expect.poll(() => loading.size).toBe(0);
  isLost = false;
  await context.setOffline(true);
  await expect(page.getByText('You are offline')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('You are offline')).toBeHidden();

  await page.getByRole('combobox', { name: 'Connection type' }).click();
  await page.getByRole('listbox').getByRole('option').first().click();
  await page.keyboard.press('Escape');
  await page.route('**/v1/proxies?*', () => {}); // No response.
  const request = page.waitForRequest('**/v1/proxies?*');
  await page.getByRole('button', { name: 'Find' }).click();
  await request;
  await expect(page.getByText('Failed loaded proxies')).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('did not respond within 10 seconds')).toBeVisible();
  await page.unroute('**/v1/proxies?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('button', { name: /^Buy / }).first()).toBeVisible();
  // The focused button was removed.
  await expect(page.getByRole('main')).toBeFocused();
});

test('offline, a screen that is not loaded keeps the menu, and loads when the network is back', async ({
  page,
  context,
}) => {
  await enter(page, '/faq', 'user@example.com', 'demo-password');
  await expect(page.locator('main details').first()).toBeVisible();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Referral programme' }).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('A part of this page could not be loaded');
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('Invite people')).toBeVisible();
});
