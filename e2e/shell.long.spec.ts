import type { Page } from '@playwright/test';
import { enter, expect, passTime, test } from './product.ts';

test('the app shell: menu, breadcrumbs, account menu and toasts, by mouse and by keyboard', async ({ page }) => {
  await page.clock.install();
  await enter(page, '/faq', 'user@example.com', 'demo-password');
  await test.step('the menu is 240 pixels wide, has the entries of a customer, and stays hidden after a reload', () =>
    checkMenu(page));
  await test.step('the keyboard reaches the content first, and the account menu', () => checkKeyboard(page));
  await test.step('a page change moves the focus and announces the page; Back restores the scroll position', () =>
    checkPageChanges(page));
  await test.step('a toast is shown at the top right, below the top bar, for five seconds', () => checkToast(page));
  await test.step('on a phone the menu is a drawer that closes after a choice, and breadcrumbs lead home', () =>
    checkDrawer(page));
  await test.step('the landing page is open to signed-in users too', async () => {
    await page.goto('/');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Мобильные прокси с оплатой за мегабайты');
    await expect(page).toHaveURL(/\/ru\/$/);
  });
});

const mainMenu = (page: Page) => page.getByRole('navigation', { name: 'Main menu' });

async function checkMenu(page: Page): Promise<void> {
  const menu = mainMenu(page);
  await expect(menu.getByRole('link')).toHaveText([
    'Proxies',
    'Connections',
    'Usage',
    'Payments',
    'Transactions',
    'FAQ',
    'Support',
    'Referral programme',
  ]);
  await expect(menu.getByRole('link', { name: 'FAQ' })).toHaveAttribute('aria-current', 'page');
  expect(await menu.evaluate((element) => element.parentElement?.parentElement?.offsetWidth)).toBe(240);
  await page.getByRole('button', { name: 'Hide menu' }).click();
  await expect(menu).toBeHidden();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('FAQ');
  await expect(menu).toBeHidden();
  await page.getByRole('button', { name: 'Show menu' }).click();
  await expect(menu).toBeVisible();
}

async function checkKeyboard(page: Page): Promise<void> {
  const menu = mainMenu(page);
  await page.reload();
  await expect(menu).toBeVisible();
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await expect(skip).toHaveCSS('outline-style', 'solid');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  const account = page.getByRole('button', { name: 'Account menu' });
  await account.focus();
  await page.keyboard.press('Enter');
  const last = page.getByRole('menuitem', { name: 'Log Out' });
  await expect(last).toBeVisible();
  // The focus moves into the menu shortly after it opens.
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowDown');
      return last.evaluate((item) => item === document.activeElement);
    })
    .toBe(true);
  await page.keyboard.press('Escape');
  await expect(account).toBeFocused();
}

async function checkPageChanges(page: Page): Promise<void> {
  const menu = mainMenu(page);
  const isAt = (name: string) => expect(page.getByRole('main', { name, exact: true })).toBeFocused();
  await menu.getByRole('link', { name: 'Proxies' }).press('Enter');
  await isAt('Proxies');
  const offers = page.getByRole('region', { name: 'Available proxies' }).getByRole('row');
  await expect(offers).toHaveCount(1 + 50);
  // The router learns of the position from this event, which comes with the next frame.
  const scrolled = page.evaluate(
    () => new Promise<void>((resolve) => addEventListener('scroll', () => resolve(), { once: true })),
  );
  await offers.last().scrollIntoViewIfNeeded();
  await scrolled;
  const scrollPosition = await page.evaluate(() => scrollY);
  expect(scrollPosition).toBeGreaterThan(1000);
  await menu.getByRole('link', { name: 'FAQ' }).press('Enter');
  await isAt('FAQ');
  await page.goBack();
  await isAt('Proxies');
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(scrollPosition);
  await page.goForward();
  await isAt('FAQ');
}

async function checkToast(page: Page): Promise<void> {
  await page.route('**/v1/profile', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 500, json: {} }) : route.continue(),
  );
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByLabel('Language').selectOption('ru');
  const toast = page.getByText('Произошла ошибка, попробуйте позже');
  await expect(toast).toBeVisible();
  await expect(toast.locator('..')).toHaveCSS('animation-duration', '0.18s');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect(toast.locator('..')).toHaveCSS('animation-duration', '1e-05s');
  const box = (await page.getByRole('region', { name: 'Сообщения' }).boundingBox())!;
  const { width } = page.viewportSize()!;
  expect([Math.round(box.y), Math.round(width - box.x - box.width)]).toEqual([72, 16]);
  await passTime(page, 4900);
  await expect(toast).toBeVisible();
  await passTime(page, 200);
  await expect(toast).toBeHidden();
  await page.clock.resume();
}

async function checkDrawer(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  const drawer = page.getByRole('dialog', { name: 'Главное меню' });
  await expect(drawer).toBeHidden();
  await page.getByRole('button', { name: 'Показать меню' }).click();
  await drawer.getByRole('link', { name: 'Поддержка' }).click();
  await expect(page).toHaveURL(/\/support\/tickets$/);
  await expect(drawer).toBeHidden();
  await expect(page.getByRole('main', { name: 'Обращения в поддержку' })).toBeFocused();
  await page.getByRole('navigation', { name: 'Навигационная цепочка' }).getByRole('link', { name: 'Главная' }).click();
  await expect(page).toHaveURL(/\/proxies$/);
}
