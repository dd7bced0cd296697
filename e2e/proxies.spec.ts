import type { Locator, Page } from '@playwright/test';
import { createClient } from '@cellhop/contract/client';
import { connect } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import type { SignInResult } from '@cellhop/contract/auth';
import { createCustomer, enter, expect, passTime, test, waitForDialogFocus } from './product.ts';

const CATALOGUE = /\/v1\/proxies(?:\?|$)/;
const FILTER = '**/v1/proxies/filter';

test('the catalogue: placeholders, failures, the limit, and proxies that were sold or changed their price', async ({
  page,
  context,
  product,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await createCustomer(page, 'choosing@example.com');
  await page.clock.install();
  await test.step('placeholders, failures, the limit and an empty result', () => checkStates(page));
  await test.step('another user was faster', () => loseRace(page, product.url));
  await test.step('the price has changed; the toast closes after five seconds', () => seeChangedPrice(page));
  await test.step('by keyboard: buys, hears the announcement, copies, and closes the dialog', () =>
    buyByKeyboard(page));
});

const rowsOf = (page: Page) => page.getByRole('region', { name: 'Available proxies' }).getByRole('row');
const dialogOf = (page: Page) => page.getByRole('dialog');
const buyButton = (page: Page) => dialogOf(page).getByRole('button', { name: /^Buy for/ });

async function isShownAfter(page: Page, milliseconds: number, what: Locator): Promise<boolean> {
  await passTime(page, milliseconds);
  return (await what.count()) > 0;
}

async function checkStates(page: Page): Promise<void> {
  const rows = rowsOf(page);
  let respond!: () => void;
  const responding = new Promise<void>((resolve) => (respond = resolve));
  for (const path of [CATALOGUE, FILTER])
    await page.route(path, async (route) => {
      await responding;
      await route.fulfill({ status: 500, json: {} });
    });
  await enter(page, '/proxies', 'choosing@example.com');
  await expect(rows).toHaveCount(1 + 5);
  await expect(page.getByRole('form', { name: 'Filter' })).toHaveAttribute('aria-busy', 'true');
  respond();
  await expect(page.getByText('Failed loaded proxy filters')).toBeVisible();
  await expect(page.getByText('Failed loaded proxies')).toBeVisible();
  for (const path of [CATALOGUE, FILTER]) await page.unroute(path);
  for (const text of ['Failed loaded proxy filters', 'Failed loaded proxies'])
    await page.getByRole('alert').filter({ hasText: text }).getByRole('button', { name: 'Try again' }).click();

  await expect(rows).toHaveCount(1 + 50);
  await expect(page.getByText('The first 50 results are shown.', { exact: false })).toBeVisible();
  await expect(rows.first()).toHaveText('ActionPrice, 50 MBIP addressCountryRegionCityZIPISPType');
  await page.goto('/proxies?country=DE&city=Nowhere');
  await expect(page.getByText('No available proxies match these filters', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Reset' }).click();
}

async function loseRace(page: Page, url: string): Promise<void> {
  const dialog = dialogOf(page);
  const buy = buyButton(page);
  const { data } = (await (
    await page.request.post('/v1/auth/sign-in', { data: { email: 'user@example.com', password: 'demo-password' } })
  ).json()) as { data: SignInResult };
  const call = createClient({
    baseUrl: url,
    headers: () => ({ authorization: `Bearer ${data.accessToken}` }),
  });
  const [proxy] = (await call(searchProxies, { query: {} })).data;
  const offer = page.getByRole('button', { name: `Buy ${proxy!.ip}`, exact: true });
  await offer.click();
  await call(connect, { body: { id: proxy!.id, price: proxy!.price } });
  await buy.click();
  await expect(page.getByText('Proxy not found or bought by another user')).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(offer).toBeHidden();
}

async function seeChangedPrice(page: Page): Promise<void> {
  const rows = rowsOf(page);
  const dialog = dialogOf(page);
  const buy = buyButton(page);
  await page.route('**/v1/proxies/connections', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 409,
          json: { statusCode: 409, error: 'Conflict', code: 'PRICE_CHANGED', message: 'Price has changed' },
        })
      : route.fallback(),
  );
  await rows.nth(1).getByRole('button').click();
  await expect(buy).toBeVisible();
  const message = page.getByText('The price has changed', { exact: false });
  const reload = page.waitForRequest(CATALOGUE);
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000));
  await buy.click();
  await expect.poll(() => isShownAfter(page, 20, message)).toBe(true);
  expect(await isShownAfter(page, 4800, message)).toBe(true);
  expect(await isShownAfter(page, 220, message)).toBe(false);
  await page.clock.resume();
  await reload;
  await expect(buy).toBeEnabled();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(rows.nth(1).getByRole('button')).toBeFocused();
  await page.unroute('**/v1/proxies/connections');
}

async function buyByKeyboard(page: Page): Promise<void> {
  const rows = rowsOf(page);
  const dialog = dialogOf(page);
  const buy = buyButton(page);
  await rows.nth(1).getByRole('button').focus();
  await page.keyboard.press('Enter');
  await waitForDialogFocus(page);
  await buy.focus();
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('status').filter({ hasText: 'The proxy is yours.' })).toBeFocused();
  await page.keyboard.press('Tab');
  const host = dialog.getByRole('button', { name: /^Copy Host: / });
  await expect(host).toBeFocused();
  const copied = dialog.getByRole('status').filter({ hasText: /^Copied$/ });
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000));
  await page.keyboard.press('Enter');
  await expect.poll(() => isShownAfter(page, 20, copied)).toBe(true);
  expect(await isShownAfter(page, 1800, copied)).toBe(true);
  expect(await isShownAfter(page, 220, copied)).toBe(false);
  await page.clock.resume();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
}
