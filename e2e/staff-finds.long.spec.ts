import { createClient } from '@cellhop/contract/client';
import { accessToken, buyProxy, createCustomer, enter, expect, test } from './product.ts';

test('staff search for a user, read their timeline, and see the app as that user', async ({ page, baseURL }) => {
  const email = 'searched-for@example.com';
  await createCustomer(page, email);
  await enter(page, '/favicon.svg', email);
  const authorization = `Bearer ${await accessToken(page)}`;
  const customer = createClient({ baseUrl: baseURL!, headers: () => ({ authorization }) });
  const { ip } = await buyProxy(customer);

  await enter(page, '/proxies', 'admin@example.com', 'demo-password');
  await expect(page.getByRole('button', { name: 'Search' })).toBeVisible();
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Search' });
  await dialog.getByRole('searchbox').fill('searched-for');
  await expect(dialog.getByRole('link')).toHaveText([/User\s*searched-for@example\.com/]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/admin\/users\/[0-9a-f-]{36}$/);

  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect(timeline.getByRole('listitem').filter({ hasText: 'Purchase' })).toContainText(ip);
  await timeline.getByText('Account', { exact: true }).first().click();
  await expect(page).toHaveURL(/kind=ACCOUNT$/);
  await expect(timeline.getByRole('listitem').filter({ hasText: 'Purchase' })).toHaveCount(0);
  await expect(timeline.getByRole('listitem').filter({ hasText: 'Signed up' })).toHaveCount(1);

  await page.getByRole('button', { name: 'View as user' }).click();
  const question = page.getByRole('dialog', { name: `View the app as ${email}?` });
  await question.getByRole('textbox').fill('they cannot find a proxy');
  await question.getByRole('button', { name: 'View as user' }).click();
  const banner = page.getByRole('complementary', { name: 'Viewing as a user' });
  await expect(banner).toContainText(email);
  await expect(page).toHaveURL(/\/proxies$/);
  await expect(page.getByRole('button', { name: 'Admin Dashboard' })).toHaveCount(0);

  await page.getByRole('link', { name: 'Connections' }).click();
  await page
    .getByRole('button', { name: `Disconnect ${ip}` })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await expect(page.getByText('You are viewing this account read-only.', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: `Details of ${ip}` }).click();
  await expect(page.getByRole('dialog')).toContainText('Not available');
  await page.keyboard.press('Escape');

  await banner.getByRole('button', { name: 'Stop' }).click();
  await expect(page).toHaveURL(/\/admin\/users\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { name: email })).toBeVisible();
  await expect(timeline.getByRole('listitem').filter({ hasText: 'Stopped viewing the app as a user' })).toHaveCount(1);
});
