import { createCustomer, enter, expect, PASSWORD, test } from './product.ts';

test('a customer copies their referral link, and the sign-up of who follows it is counted', async ({
  page,
  browser,
}) => {
  const email = 'inviter@example.com';
  await createCustomer(page, email);
  await page.clock.install();
  await enter(page, '/referral-system', email);
  const main = page.getByRole('main');
  const copy = main.getByRole('button', { name: /^Copy Referral link: / });
  const link = await copy.innerText();
  expect(link).toMatch(/\/sign-up\?rc=[A-Z0-9]{10}$/);
  // The first event says only where the mouse is.
  await copy.hover({ position: { x: 8, y: 8 } });
  await copy.hover();
  await expect(page.getByText('Click to copy')).toBeVisible();
  await copy.click();
  const copied = main.getByRole('status').filter({ hasText: 'Copied' });
  await expect(copied).toHaveCount(1);
  await page.clock.fastForward(2000);
  await expect(copied).toHaveCount(0);

  const { origin } = new URL(page.url());
  const context = await browser.newContext({ baseURL: origin });
  const friend = await context.newPage();
  const { pathname, search } = new URL(link);
  await friend.goto(pathname + search);
  await friend.getByLabel('Email').fill('invited-friend@example.com');
  await friend.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await friend.getByLabel('Confirm password').fill(PASSWORD);
  await friend.getByRole('button', { name: 'Sign up' }).click();
  await expect(friend.getByRole('heading', { name: 'Confirm your email' })).toBeVisible();
  await context.close();
  await page.reload();
  await expect(main.getByText('Registered users').locator('..')).toContainText('1');
});
