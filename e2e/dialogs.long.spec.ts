/** How the purchase dialog moves, and where it is; and where the focus goes when dialogs and popups close. */
import type { Locator, Page } from '@playwright/test';
import { EventEmitter, once } from 'node:events';
import { createCustomer, enter, expect, test } from './product.ts';

const NOTIFICATIONS = '**/v1/notifications?*';
const bell = (page: Page) => page.getByRole('button', { name: /^Notifications/ });
const popup = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });
const bottomOf = (locator: Locator) =>
  locator.evaluate((element) => Math.round(element.getBoundingClientRect().bottom));

test('a dialog that is closed before it takes the focus returns it, too', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await createCustomer(page, 'too-early@example.com');
  await enter(page, '/proxies', 'too-early@example.com');
  const buy = page.getByRole('region', { name: 'Available proxies' }).getByRole('button', { name: /^Buy / });
  await expect(buy.nth(2)).toBeVisible();
  await page.evaluate(() => {
    const { setTimeout: schedule } = globalThis;
    // A busy browser runs the timer late with which a dialog takes the focus.
    const runLate = (callback: () => void, milliseconds?: number) => schedule(callback, milliseconds || 100);
    Object.assign(globalThis, { setTimeout: runLate });
    new MutationObserver((_, observer) => {
      if (document.querySelector('[role="dialog"]') === null) return;
      observer.disconnect();
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true });
  });
  const closed = page.waitForURL(/proxy=/).then(() => page.waitForURL((url) => !url.searchParams.has('proxy')));
  await buy.nth(2).press('Enter');
  await closed;
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(buy.nth(2)).toBeFocused();
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

test('the button of the purchase dialog is at its lower edge at every height, with space and nothing visible below', async ({
  page,
}) => {
  await createCustomer(page, 'small-screen@example.com');
  await enter(page, '/proxies', 'small-screen@example.com');
  for (const [width, height] of [
    [1440, 900],
    [1440, 500],
    [768, 600],
    [390, 844],
    [390, 500],
    [320, 568],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.getByRole('button', { name: /^Buy / }).first().click();
    const foot = page.getByRole('button', { name: /^Buy for/ }).locator('..');
    await expect(foot).toBeVisible();
    // Its border is a pixel.
    const below = async () => Math.abs((await bottomOf(page.getByRole('dialog'))) - (await bottomOf(foot)));
    await expect.poll(below, `${width} x ${height}`).toBeLessThanOrEqual(2);
    const space = await foot.evaluate(
      (element) => element.getBoundingClientRect().bottom - element.lastElementChild!.getBoundingClientRect().bottom,
    );
    expect(space, `${width} x ${height}`).toBeGreaterThanOrEqual(16);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
});

test('a dialog fades in without moving, so that an early click does not miss its button', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await createCustomer(page, 'clicks-early@example.com');
  await enter(page, '/proxies', 'clicks-early@example.com');
  const buy = page.getByRole('region', { name: 'Available proxies' }).getByRole('button', { name: /^Buy / }).first();
  await expect(buy).toBeVisible();
  const fadeIn = async () => {
    const fadingIn = watchFadingIn(page);
    await buy.click();
    const { transforms, firstOpacity } = await fadingIn;
    expect(transforms).toEqual(['none']);
    expect(firstOpacity).toBeLessThan(1);
  };
  await test.step('the first time, when its code has just loaded', fadeIn);
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await test.step('the second time', fadeIn);
});

function watchFadingIn(page: Page) {
  return page.evaluate(
    () =>
      new Promise<{ transforms: string[]; firstOpacity: number }>((resolve) => {
        const styles: { transform: string; opacity: string }[] = [];
        const look = () => {
          const dialog = document.querySelector('[role="dialog"]');
          if (dialog !== null) {
            const { transform, opacity } = getComputedStyle(dialog);
            styles.push({ transform, opacity });
          }
          if (styles.at(-1)?.opacity !== '1') return requestAnimationFrame(look);
          const transforms = [...new Set(styles.map(({ transform }) => transform))];
          return resolve({ transforms, firstOpacity: Number(styles[0]?.opacity) });
        };
        look();
      }),
  );
}

test('a click on Buy has a visible effect at once, however slowly its dialog loads', async ({ page }) => {
  await createCustomer(page, 'far-away@example.com');
  const loading = new EventEmitter();
  const released = once(loading, 'released');
  await page.route('**/assets/purchase-dialog-*.js', (route) => released.then(() => route.continue()));
  await enter(page, '/proxies', 'far-away@example.com');
  await page.getByRole('button', { name: /^Buy / }).first().click();
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
  loading.emit('released');
  await expect(page.getByRole('button', { name: /^Buy for/ })).toBeVisible();
});

for (const [title, busyMs] of [
  ['', 0],
  [' in a busy browser', 400],
] as const)
  test(`the popup returns the focus when Escape follows the removal of its button${title}`, async ({ page }) => {
    const email = `quick-${busyMs}@example.com`;
    await createCustomer(page, email);
    await page.route(NOTIFICATIONS, (route) => route.fulfill({ status: 500, json: {} }));
    await enter(page, '/proxies', email);
    await bell(page).click();
    const again = popup(page).getByRole('button', { name: 'Try again' });
    await expect(again).toBeVisible();
    await page.unroute(NOTIFICATIONS);
    // Just before the popup takes the focus after the removal of its button.
    await page.evaluate((blockedMs) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector('[role="dialog"] [role="alert"]')) return;
        observer.disconnect();
        const press = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true });
        setTimeout(() => {
          document.body.dispatchEvent(press);
          // The popup closes only after this.
          const until = performance.now() + blockedMs;
          while (performance.now() < until);
        }, 45);
      });
      observer.observe(document.body, { childList: true, subtree: true });
    }, busyMs);
    await again.click();
    await expect(popup(page)).toBeHidden();
    await expect(bell(page)).toBeFocused();
  });
