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

test('no layout shift while the catalogue loads, in any order of its responses, nor on the way to usage', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries() as (PerformanceEntry & { value: number })[]) shifts.push(value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  const rows = page.getByRole('region', { name: 'Available proxies' }).getByRole('row');
  const sumOfShifts = async () => {
    const moved = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts);
    return moved.reduce((sum, shift) => sum + shift, 0);
  };
  const meanwhile: [string | RegExp, () => Promise<void>][] = [
    [CATALOGUE, () => expect(rows).toHaveCount(1 + 5)],
    [FILTER, () => expect(rows).toHaveCount(1 + 50)],
    ['**/v1/profile', () => expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()],
  ];
  for (const [last, expectRest] of meanwhile) {
    const responses: (() => void)[] = [];
    const responded = new Promise<void>((resolve) => responses.push(resolve));
    await page.route(last, (route) => responded.then(() => route.continue()));
    await page.reload();
    await expectRest();
    for (const respond of responses) respond();
    await expect(rows).toHaveCount(1 + 50);
    await expect(page.getByRole('form', { name: 'Filter' })).toHaveAttribute('aria-busy', 'false');
    expect(await sumOfShifts()).toBeLessThan(0.001);
    await page.unroute(last);
  }

  await page.setViewportSize({ width: 390, height: 844 });
  const responses: (() => void)[] = [];
  const responded = new Promise<void>((resolve) => responses.push(resolve));
  await page.route('**/v1/usage?*', (route) => responded.then(() => route.continue()));
  await page.goto('/usage');
  await expect(page.getByRole('heading', { name: 'Spending' })).toBeVisible();
  for (const respond of responses) respond();
  await expect(page.getByRole('slider', { name: 'Spending' })).toBeVisible();
  expect(await sumOfShifts()).toBe(0);
});

test('on a phone cards below the screen are not laid out until they are near', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  const cards = page.getByRole('list', { name: 'Available proxies' }).getByRole('listitem');
  await expect(cards).toHaveCount(50);
  const { height } = (await cards.first().boundingBox())!;
  expect(await isLaidOut(cards.first())).toBe(true);
  expect(await isLaidOut(cards.last())).toBe(false);
  // The estimate is exact, so the scroll bar does not jump.
  expect((await cards.last().boundingBox())!.height).toBeCloseTo(height, 0);
  await cards.last().scrollIntoViewIfNeeded();
  await expect.poll(() => isLaidOut(cards.last())).toBe(true);
});

test('on a phone each card is rendered once, not again in each further step', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.addInitScript(() => {
    const counted = { renders: 0 };
    Object.assign(globalThis, { counted });
    const replace = Object.getOwnPropertyDescriptor(String.prototype, 'replace')!.value as Function;
    Object.assign(String.prototype, {
      replace(this: string, pattern: string, replacement: string) {
        // Each render of a card puts its address into the label of Buy, in place of this character.
        if (pattern === '\u{FFFC}') counted.renders++;
        return Reflect.apply(replace, this, [pattern, replacement]) as string;
      },
    });
  });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await expect(page.getByRole('list', { name: 'Available proxies' }).getByRole('listitem')).toHaveCount(50);
  const renders = await page.evaluate(
    () => (globalThis as unknown as { counted: { renders: number } }).counted.renders,
  );
  expect(renders).toBeGreaterThanOrEqual(50);
  // Otherwise there would be about 250. React may repeat a step that is interrupted.
  expect(renders).toBeLessThan(100);
});

function isLaidOut(card: Locator): Promise<boolean> {
  return card.evaluate((item) => item.firstElementChild!.checkVisibility({ contentVisibilityAuto: true }));
}

test('a flag opens its tooltip when the mouse moves to it, not when it appears under a resting mouse', async ({
  page,
}) => {
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  const flag = page.locator('main tbody img').first();
  const tooltip = page.getByRole('tooltip');
  const { x, y } = (await flag.boundingBox())!;
  await page.mouse.move(x + 4, y + 4, { steps: 3 });
  await expect(tooltip).toBeVisible();
  await page.mouse.move(x + 4, 10, { steps: 3 });
  await expect(tooltip).toBeHidden();

  await page.getByRole('link', { name: 'FAQ' }).press('Enter');
  // The app moves the focus to the new page; a key that is pressed before would be lost.
  await expect(page.getByRole('main', { name: 'FAQ' })).toBeFocused();
  await page.mouse.move(x + 4, y + 4, { steps: 3 });
  await page.getByRole('link', { name: 'Proxies' }).first().press('Enter');
  await expect(flag).toBeVisible();
  // Browsers send this event after a layout change even if the mouse has not moved.
  await page.mouse.move(x + 4, y + 4);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await expect(tooltip).toHaveCount(0);
  await page.mouse.move(x + 6, y + 5);
  await expect(tooltip).toBeVisible();
});
