import { enter, expect, test } from './product.ts';
import { expectGood, prefer } from './screen-checks.ts';

test('customers see no admin area, and read which permission a page needs', async ({ page }) => {
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await expect(page.getByRole('link', { name: 'Proxies' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Admin Dashboard' })).toHaveCount(0);
  expect(requested.filter((path) => /staff/i.test(path))).toEqual([]);
  await page.goto('/admin/connections');
  await expect(page.getByText('CONNECTIONS_READ')).toBeVisible();
  await expectGood(page, 'forbidden');
});

test('staff see the items of their role in the menu', async ({ page }) => {
  await enter(page, '/admin', 'support@example.com', 'demo-password');
  await expect(page).toHaveURL(/\/admin$/);
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  // The items of customers are collapsed.
  await expect(menu.getByRole('link', { name: 'Connections' })).toHaveCount(1);
  await menu.getByRole('link', { name: 'Tickets' }).click();
  await expect(menu.locator('[aria-current=page]')).toHaveText(['Tickets']);
  await menu.getByRole('button', { name: 'Customer area' }).click();
  await expect(menu.getByRole('link', { name: 'Connections' })).toHaveCount(2);
  await menu.getByRole('button', { name: 'Admin Dashboard' }).click();
  await expect(menu.getByRole('link', { name: 'Connections' })).toHaveCount(1);
});

test('all screens of the admin area are in view on a desktop', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await expect(menu.getByRole('link')).toHaveCount(16);
  for (const item of [...(await menu.getByRole('link').all()), menu.getByRole('button', { name: 'Customer area' })])
    await expect(item).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('complementary').getByRole('radio').last()).toBeInViewport();
});

for (const [language, name] of [
  ['en', 'Main menu'],
  ['ru', 'Главное меню'],
] as const)
  test(`the menu of the admin area does not scroll on a small desktop, in ${language}`, async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await prefer(page, language, 'LIGHT');
    await enter(page, '/admin', 'admin@example.com', 'demo-password');
    const links = page.getByRole('navigation', { name }).getByRole('link');
    await expect(links).toHaveCount(16);
    const side = page.getByRole('complementary');
    await expect.poll(() => side.evaluate((menu) => menu.scrollHeight - menu.clientHeight)).toBe(0);
    for (const link of await links.all()) await expect(link).toBeInViewport({ ratio: 1 });
  });

test('the admin area opens from another screen without an error, however slowly its code arrives', async ({ page }) => {
  // The code arrives once the place of the screen shows a spinner, and its texts later.
  await page.route('**/assets/staff-routes-*.js', async (route) => {
    await page.getByRole('main').getByRole('status', { name: 'Loading' }).waitFor();
    await route.continue();
  });
  await enter(page, '/proxies', 'admin@example.com', 'demo-password');
  await expect(page.getByRole('button', { name: 'Find' })).toBeVisible();
  // A link would load the code when the mouse moves to it.
  await page.evaluate(() => history.pushState(null, '', '/admin/users'));
  await expect(page.getByRole('row').filter({ hasText: '@example.com' }).first()).toBeVisible();
});
