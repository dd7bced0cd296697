import type { Locator } from '@playwright/test';
import { createClient } from '@cellhop/contract/client';
import { connect } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import type { SignInResult } from '@cellhop/contract/auth';
import { createCustomer, enter, expect, test } from './product.ts';

const CATALOGUE = /\/v1\/proxies(?:\?|$)/;
const FILTER = '**/v1/proxies/filter';

test('the catalogue: placeholders, failures, the limit, and proxies that are gone or dearer', async ({
  page,
  context,
  product,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await createCustomer(page, 'choosing@example.com');
  await page.clock.install();
  const shownAfter = async (milliseconds: number, what: Locator) => {
    await page.clock.runFor(milliseconds);
    return (await what.count()) > 0;
  };
  const answers: (() => void)[] = [];
  for (const path of [CATALOGUE, FILTER])
    await page.route(path, async (route) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      await route.fulfill({ status: 500, json: {} });
    });
  await enter(page, '/proxies', 'choosing@example.com');
  const rows = page.getByRole('region', { name: 'Free proxies' }).getByRole('row');
  await expect(rows).toHaveCount(1 + 5);
  await expect(page.getByRole('form', { name: 'Filter' })).toHaveAttribute('aria-busy', 'true');
  await expect.poll(() => answers.length).toBe(2);
  for (const answer of answers) answer();
  await expect(page.getByText('Failed loaded proxy filters')).toBeVisible();
  await expect(page.getByText('Failed loaded proxies')).toBeVisible();
  for (const path of [CATALOGUE, FILTER]) await page.unroute(path);
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByRole('button', { name: 'Try again' }).click();

  await expect(rows).toHaveCount(1 + 50);
  await expect(page.getByText('The first 50 results are shown.', { exact: false })).toBeVisible();
  await expect(rows.first()).toHaveText('ActionPrice, 50 MBIP addressCountryRegionCityZIPISPConnection type');
  await page.goto('/proxies?country=DE&city=Nowhere');
  await expect(page.getByText('No free proxies match these filters', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Reset' }).click();

  const dialog = page.getByRole('dialog');
  const buy = dialog.getByRole('button', { name: /^Buy for/ });
  await test.step('somebody else was faster', async () => {
    const { data } = (await (
      await page.request.post('/v1/auth/sign-in', { data: { email: 'user@example.com', password: 'demo-password' } })
    ).json()) as { data: SignInResult };
    const call = createClient({
      baseUrl: product.url,
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
  });

  await test.step('the price has changed; the message goes by itself after five seconds', async () => {
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
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
    await buy.click();
    await expect.poll(() => shownAfter(20, message)).toBe(true);
    expect(await shownAfter(4800, message)).toBe(true);
    expect(await shownAfter(220, message)).toBe(false);
    await page.clock.resume();
    await reload;
    await expect(dialog).toBeHidden();
    await page.unroute('**/v1/proxies/connections');
  });

  await test.step('with the keyboard alone: buys, hears of it, copies, and leaves', async () => {
    await rows.nth(1).getByRole('button').focus();
    await page.keyboard.press('Enter');
    await buy.focus();
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('status').filter({ hasText: 'The proxy is yours.' })).toBeFocused();
    await page.keyboard.press('Tab');
    const host = dialog.getByRole('button', { name: 'Copy Host', exact: true });
    await expect(host).toBeFocused();
    const copied = dialog.getByRole('status').filter({ hasText: /^Copied$/ });
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
    await page.keyboard.press('Enter');
    await expect.poll(() => shownAfter(20, copied)).toBe(true);
    expect(await shownAfter(1800, copied)).toBe(true);
    expect(await shownAfter(220, copied)).toBe(false);
    await page.clock.resume();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });
});

test('nothing moves while the catalogue comes, whichever of its answers is the last, nor on the way to usage', async ({
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
  const rows = page.getByRole('region', { name: 'Free proxies' }).getByRole('row');
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
    const answers: (() => void)[] = [];
    const answered = new Promise<void>((resolve) => answers.push(resolve));
    await page.route(last, (route) => answered.then(() => route.continue()));
    await page.reload();
    await expectRest();
    for (const answer of answers) answer();
    await expect(rows).toHaveCount(1 + 50);
    await expect(page.getByRole('form', { name: 'Filter' })).toHaveAttribute('aria-busy', 'false');
    expect(await sumOfShifts()).toBeLessThan(0.001);
    await page.unroute(last);
  }

  await page.setViewportSize({ width: 390, height: 844 });
  const answers: (() => void)[] = [];
  const answered = new Promise<void>((resolve) => answers.push(resolve));
  await page.route('**/v1/usage?*', (route) => answered.then(() => route.continue()));
  await page.goto('/usage');
  await expect(page.getByRole('heading', { name: 'Spending' })).toBeVisible();
  for (const answer of answers) answer();
  await expect(page.getByRole('slider', { name: 'Spending' })).toBeVisible();
  expect(await sumOfShifts()).toBe(0);
});

test('a flag that is drawn under a resting mouse opens no tooltip, and one that the mouse is moved to does', async ({
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
  await expect(page).toHaveURL(/\/faq$/);
  await page.mouse.move(x + 4, y + 4, { steps: 3 });
  await page.getByRole('link', { name: 'Proxies' }).first().press('Enter');
  await expect(flag).toBeVisible();
  // Browsers send such an event after a change of layout, although the mouse has not moved.
  await page.mouse.move(x + 4, y + 4);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await expect(tooltip).toHaveCount(0);
  await page.mouse.move(x + 6, y + 5);
  await expect(tooltip).toBeVisible();
});
