import { createCustomer, enter, expect, test } from './product.ts';

test('a seventh window loads without Web Locks, which plain HTTP does not have', async ({ page, context }) => {
  await createCustomer(page, 'seven-windows@example.com');
  await enter(page, '/proxies', 'seven-windows@example.com');
  await context.addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
  // Browsers open six connections to a server without TLS, and pages of Playwright are all visible.
  const windows = [];
  for (let index = 0; index < 7; index += 1) {
    const window = await context.newPage();
    windows.push(window);
    await window.goto('/payments/invoices');
    await expect(window.getByText('No open or paid invoices', { exact: false })).toBeVisible();
  }
  for (const window of windows) await expect(window.getByRole('link', { name: /^Balance / })).toContainText('$1.00');
});
