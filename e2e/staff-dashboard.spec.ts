import { enter, expect, test } from './product.ts';

test('staff choose a period, and every number links to its rows', async ({ page }) => {
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  await expect(page.getByRole('heading', { name: 'Proxies by country' })).toBeVisible();
  const main = page.getByRole('main');
  await expect(main.getByText('Active connections')).toBeVisible();
  // The demo's three accounts and its deposit.
  await expect(main.getByRole('link', { name: '$25.00' }).first()).toHaveAttribute('href', /from=\d{4}-\d\d-\d\d/);
  await expect(main.getByRole('slider', { name: 'Sign-ups' })).toBeVisible();
  await page.getByRole('button', { name: '24 hours' }).click();
  await expect(page).toHaveURL(/\/admin\?range=day$/);
  // Other tests buy and import proxies.
  const free = main.getByRole('link', { name: /^\d+$/ }).and(main.locator('[href="/admin/proxies?state=FREE"]'));
  await expect(free).toHaveCount(1);
});

test('a role sees only the numbers that it may read; customers see none', async ({ page }) => {
  await enter(page, '/admin', 'support@example.com', 'demo-password');
  await expect(page.getByText('Median first reply')).toBeVisible();
  await expect(page.getByText('Revenue')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Proxies by country' })).toHaveCount(0);
  await page.evaluate(() => localStorage.clear());
  await enter(page, '/admin', 'user@example.com', 'demo-password');
  await expect(page).toHaveURL(/\/proxies$/);
});
