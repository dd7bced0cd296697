import { listConnections } from '@cellhop/contract/connections';
import { endAnyConnection, listAllConnections } from '@cellhop/contract/staff/connections';
import { getProfile } from '@cellhop/contract/users';
import type { Locator, Page } from '@playwright/test';
import {
  buyProxy,
  callAs,
  clientAs,
  createCustomer,
  enter,
  expect,
  passTime,
  test,
  waitForDialogFocus,
} from './product.ts';

const NO_MONEY = 'Insufficient funds';
const CONTROLS = 'a[href], button, input, select, textarea, [role="combobox"], [tabindex="0"]';

/** With motion, as most users see it. */
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

/** Opens the dialog of a proxy whose purchase is refused, by default because of a small balance. */
async function openPurchase(
  page: Page,
  [width, height]: readonly [width: number, height: number],
  { isRefused = Promise.resolve(), codes = ['SMALL_BALANCE'] } = {},
): Promise<void> {
  const left = [...codes];
  await page.setViewportSize({ width, height });
  await page.route('**/v1/proxies/connections', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await isRefused;
    const code = left.length > 1 ? left.shift() : left[0];
    return route.fulfill({
      status: 402,
      json: { statusCode: 402, error: 'Payment Required', code, message: 'Refused' },
    });
  });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await page
    .getByRole('button', { name: /^Buy 198\.18\./ })
    .first()
    .click();
  await expect(buyButton(page)).toBeVisible();
  await waitForDialogFocus(page);
}

const buyButton = (page: Page) => page.getByRole('dialog').getByRole('button', { name: /^Buy for/ });
const topUpLink = (page: Page) => page.getByRole('dialog').getByRole('link', { name: 'Top up' });
const toastOf = (page: Page) =>
  page.getByRole('region', { name: 'Messages' }).getByText(NO_MONEY, { exact: false }).locator('..');

/** Tries to buy without money, while the page's clock is paused. The dialog shows the refusal one timer later than the toast. */
async function tryToBuy(page: Page): Promise<void> {
  await buyButton(page).press('Enter');
  await expect(toastOf(page)).toBeVisible();
  await passTime(page, 100);
  await expect(topUpLink(page)).toBeAttached();
}

/** For polling: the dialog starts the timer of its closing animation some time after the click. */
async function isDialogOpenAfter(page: Page, milliseconds: number): Promise<boolean> {
  await passTime(page, milliseconds);
  return page.getByRole('dialog').isVisible();
}

const messages = (page: Page) => page.locator('section[aria-live="polite"]');

/** The position of the next toast. */
async function findToastPosition(page: Page): Promise<{ x: number; y: number }> {
  await buyButton(page).press('Enter');
  // In one step: the toast closes after five seconds.
  const position = await toastOf(page).evaluate((toast) => {
    const { x, y, height } = toast.getBoundingClientRect();
    toast.querySelector('button')!.click();
    return { x: x + 40, y: y + height / 2 };
  });
  await expect(toastOf(page)).toBeHidden();
  return position;
}

/** The controls of dialogs that a toast covers. */
function coveredControls(page: Page): Promise<(string | null)[]> {
  return page.evaluate((controls) => {
    const toasts = [...document.querySelector('section[aria-live="polite"]')!.children].map((toast) =>
      toast.getBoundingClientRect(),
    );
    return [...document.querySelectorAll('[role="dialog"]')]
      .flatMap((dialog) => [...dialog.querySelectorAll(controls)])
      .filter((control) => {
        let { left, right, top, bottom } = control.getBoundingClientRect();
        // Clips to what is scrolled into view.
        for (let outer = control.parentElement; outer !== null; outer = outer.parentElement) {
          if (getComputedStyle(outer).overflowY === 'visible') continue;
          const clip = outer.getBoundingClientRect();
          left = Math.max(left, clip.left);
          right = Math.min(right, clip.right);
          top = Math.max(top, clip.top);
          bottom = Math.min(bottom, clip.bottom);
        }
        return toasts.some(
          (toast) =>
            Math.max(left, toast.left) < Math.min(right, toast.right) &&
            Math.max(top, toast.top) < Math.min(bottom, toast.bottom),
        );
      })
      .map((control) => control.textContent || control.getAttribute('aria-label'));
  }, CONTROLS);
}

/** Whether a message lies over something, wholly or in part. */
async function isCovered(page: Page, shown: Locator): Promise<boolean> {
  const [toast, box] = [(await toastOf(page).boundingBox())!, (await shown.boundingBox())!];
  return (
    Math.max(toast.x, box.x) < Math.min(toast.x + toast.width, box.x + box.width) &&
    Math.max(toast.y, box.y) < Math.min(toast.y + toast.height, box.y + box.height)
  );
}

for (const [width, height] of [
  [1440, 900],
  [1280, 720],
  [844, 390],
  [768, 1024],
  [390, 844],
  [320, 568],
] as const)
  test(`at ${width} x ${height} pixels a toast covers and moves no control of a dialog, and the mouse can close the dialog`, async ({
    page,
  }) => {
    await page.clock.install();
    await openPurchase(page, [width, height]);
    await page.clock.pauseAt(Date.now() + 60_000);
    await tryToBuy(page);
    await expect.poll(() => coveredControls(page)).toEqual([]);
    await topUpLink(page).scrollIntoViewIfNeeded();
    await expect.poll(() => coveredControls(page)).toEqual([]);

    const region = (await page.getByRole('region', { name: 'Messages' }).boundingBox())!;
    expect(region.y).toBeGreaterThanOrEqual(64);
    expect(Math.round(width - region.x - region.width)).toBe(16);

    const places = () => Promise.all([page.getByRole('dialog'), topUpLink(page)].map((each) => each.boundingBox()));
    const withMessage = await places();
    await passTime(page, 6000);
    await expect(toastOf(page)).toBeHidden();
    expect(await places()).toEqual(withMessage);
    await tryToBuy(page);
    expect(await places()).toEqual(withMessage);

    // Clicks by coordinates: Playwright's click would wait until nothing covers the button.
    const close = (await page.getByRole('dialog').getByRole('button', { name: 'Close' }).boundingBox())!;
    await page.mouse.click(close.x + close.width / 2, close.y + close.height / 2);
    await expect.poll(() => isDialogOpenAfter(page, 100)).toBe(false);
    await expect(toastOf(page)).toBeVisible();
  });

test('on a phone a toast covers no control of the menu', async ({ page }) => {
  let refuse!: () => void;
  const isRefused = new Promise<void>((resolve) => (refuse = resolve));
  await openPurchase(page, [390, 844], { isRefused });
  await buyButton(page).press('Enter');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show menu' }).click();
  await expect(page.getByRole('dialog', { name: 'Main menu' }).getByRole('link', { name: 'Support' })).toBeVisible();
  refuse();
  await expect(toastOf(page)).toBeVisible();
  await expect.poll(() => coveredControls(page)).toEqual([]);
});

for (const [width, height] of [
  [1280, 720],
  [844, 390],
  [320, 568],
] as const)
  for (const { button, role } of [
    { button: 'Notifications', role: 'dialog' },
    { button: 'Account menu', role: 'menu' },
  ] as const)
    test(`at ${width} x ${height} pixels a message covers nothing of "${button}"`, async ({ page }) => {
      let refuse!: () => void;
      const isRefused = new Promise<void>((resolve) => (refuse = resolve));
      const notification = { description: 'Told to everybody', content: null, createdAt: new Date(), isRead: true };
      const data = Array.from({ length: 30 }, (_, index) => ({ ...notification, id: String(index) }));
      await page.route('**/v1/notifications?*', (route) =>
        route.fulfill({ json: { data, totalPages: 1, unreadCount: 0 } }),
      );
      await openPurchase(page, [width, height], { isRefused });
      await buyButton(page).press('Enter');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
      await page.getByRole('button', { name: button, exact: true }).click();
      const popup = page.getByRole(role, { name: button });
      await expect(popup.getByText(/Told to everybody|Log Out/).first()).toBeVisible();
      refuse();
      await expect(toastOf(page)).toBeVisible();
      await expect.poll(() => isCovered(page, popup)).toBe(false);
    });

for (const width of [320, 390, 768])
  test(`at ${width} pixels the longest toast stays above a dialog`, async ({ page }) => {
    await page.addInitScript(() => localStorage.setItem('language', '"ru"'));
    await page.setViewportSize({ width, height: 800 });
    await page.route('**/v1/proxies/connections', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 409,
            json: { statusCode: 409, error: 'Conflict', code: 'TOO_MANY_CONNECTIONS', message: 'Too many' },
          })
        : route.continue(),
    );
    await enter(page, '/proxies', 'user@example.com', 'demo-password');
    await page
      .getByRole('button', { name: /198\.18\./ })
      .first()
      .click();
    await waitForDialogFocus(page);
    await page.getByRole('dialog').getByRole('button').last().press('Enter');
    await expect(messages(page)).toContainText('Достигнут лимит активных подключений');
    const region = (await messages(page).boundingBox())!;
    const dialog = (await page.getByRole('dialog').boundingBox())!;
    expect(region.y + region.height).toBeLessThan(dialog.y);
  });

test('above a dialog toasts are shown one at a time, five seconds each', async ({ page }) => {
  await page.clock.install();
  await openPurchase(page, [1280, 720], { codes: ['NOT_CONNECTED', 'SMALL_BALANCE'] });
  await page.clock.pauseAt(Date.now() + 60_000);
  await buyButton(page).press('Enter');
  await expect(messages(page)).toHaveText('This connection has already ended');
  await passTime(page, 4000);
  await buyButton(page).press('Enter');
  await expect(toastOf(page)).toBeVisible();
  await expect(messages(page).locator('p')).toHaveCount(1);
  await passTime(page, 5100);
  await expect(messages(page)).toHaveText('This connection has already ended');
  await passTime(page, 4800);
  await expect(messages(page).locator('p')).toHaveCount(1);
  await passTime(page, 300);
  await expect(messages(page).locator('p')).toHaveCount(0);
});

test('a toast that appears under a resting mouse closes after five seconds', async ({ page }) => {
  await page.clock.install();
  await openPurchase(page, [1280, 720]);
  const place = await findToastPosition(page);
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.mouse.move(place.x, place.y, { steps: 3 });
  await buyButton(page).press('Enter');
  await expect(toastOf(page)).toBeVisible();
  // Browsers send this event after a layout change even if the mouse has not moved.
  await page.mouse.move(place.x, place.y);
  await passTime(page, 4900);
  await expect(toastOf(page)).toBeVisible();
  await passTime(page, 200);
  await expect(toastOf(page)).toBeHidden();
});

test('a toast stays while the mouse moves over it, and then for the rest of its five seconds', async ({ page }) => {
  await page.clock.install();
  await openPurchase(page, [1280, 720]);
  const place = await findToastPosition(page);
  await page.mouse.move(10, 700);
  await page.clock.pauseAt(Date.now() + 60_000);
  await buyButton(page).press('Enter');
  await expect(toastOf(page)).toBeVisible();
  await passTime(page, 3000);
  await page.mouse.move(place.x, place.y, { steps: 5 });
  await passTime(page, 20_000);
  await expect(toastOf(page)).toBeVisible();
  await page.mouse.move(10, 700, { steps: 5 });
  await passTime(page, 1900);
  await expect(toastOf(page)).toBeVisible();
  await passTime(page, 200);
  await expect(toastOf(page)).toBeHidden();
});

test('a mouse over a toast keeps it open for at most half a minute', async ({ page }) => {
  await page.clock.install();
  await openPurchase(page, [1280, 720]);
  const place = await findToastPosition(page);
  await page.mouse.move(10, 700);
  await page.clock.pauseAt(Date.now() + 60_000);
  await buyButton(page).press('Enter');
  await expect(toastOf(page)).toBeVisible();
  await page.mouse.move(place.x, place.y, { steps: 5 });
  await passTime(page, 30_000);
  await expect(toastOf(page)).toBeVisible();
  await page.mouse.move(place.x + 20, place.y, { steps: 5 });
  await passTime(page, 5100);
  await expect(toastOf(page)).toBeHidden();
});

test('clicks pass through a toast to the page below, except for those on its button', async ({ page }) => {
  await openPurchase(page, [1280, 720]);
  const place = await findToastPosition(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page
    .getByRole('button', { name: /^Buy 198\.18\./ })
    .first()
    .click();
  await waitForDialogFocus(page);
  await buyButton(page).press('Enter');
  await expect(toastOf(page)).toBeVisible();
  const isInToast = ({ x, y }: { x: number; y: number }) =>
    page.evaluate(
      ([left, top]) => document.elementFromPoint(left!, top!)?.closest('section[aria-live="polite"]') !== null,
      [x, y],
    );
  expect(await isInToast(place)).toBe(false);
  const button = (await toastOf(page).getByRole('button').boundingBox())!;
  expect(await isInToast({ x: button.x + button.width / 2, y: button.y + button.height / 2 })).toBe(true);
  await toastOf(page).getByRole('button').click();
  await expect(toastOf(page)).toBeHidden();
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('no toast covers the balance while it falls or rises, at any width', async ({ page, product }) => {
  const email = 'watches-money@example.com';
  await createCustomer(page, email);
  await enter(page, '/faq', email);
  const call = callAs(page, product.url);
  const admin = await clientAs('admin@example.com', product.url);
  const { id: userId } = (await call(getProfile, {})).data;
  const balance = page.getByRole('link', { name: /^Balance / });
  const toasts = page.locator('section[aria-live="polite"] > *');
  const expectApart = async () => {
    const place = (await balance.boundingBox())!;
    for (const toast of await toasts.all()) {
      const box = await toast.boundingBox();
      // It may have closed in the meantime.
      if (box === null) continue;
      const isApart =
        box.x >= place.x + place.width ||
        box.x + box.width <= place.x ||
        box.y >= place.y + place.height ||
        box.y + box.height <= place.y;
      expect(isApart, JSON.stringify({ place, box })).toBe(true);
    }
  };
  for (const width of [1440, 768, 390]) {
    await page.setViewportSize({ width, height: 844 });
    // The web app reports the end of a connection only if it has fetched the list before.
    const firstList = page.waitForResponse((response) => response.url().includes(listConnections.url));
    await page.goto('/faq');
    await firstList;
    const before = await balance.innerText();
    await buyProxy(call);
    await expect(balance).not.toHaveText(before);
    await expectApart();
    const [connection] = (await admin(listAllConnections, { query: { userId } })).data;
    await admin(endAnyConnection, { params: { id: connection!.id }, body: { reason: 'A test of toasts.' } });
    await expect(toasts).toHaveCount(1);
    await expectApart();
    await expect(balance).toHaveText(before);
    await expectApart();
  }
});
