import { expect, createCustomer, enter, test } from './product.ts';
import { expectGood } from './screen-checks.ts';

test('a customer opens a ticket, writes, keeps a draft and closes it', { tag: '@long' }, async ({ page }) => {
  await createCustomer(page, 'asking@example.com');
  await enter(page, '/support/tickets', 'asking@example.com');
  const dialog = page.getByRole('dialog');
  const message = page.getByLabel('Your message');
  await page.getByRole('button', { name: 'New ticket' }).click();
  await dialog.getByLabel('Name').fill('Why was I charged?');
  await dialog.getByLabel('Description').fill('Two megabytes more\nthan I think.');
  await dialog.getByRole('button', { name: 'Create ticket' }).dblclick();
  await expect(page).toHaveURL(/\/support\/tickets\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { name: 'Why was I charged?' })).toBeVisible();
  for (const text of ['First', 'Second']) {
    await message.fill(text);
    await page.getByRole('button', { name: 'Send' }).dblclick();
    await expect(message).toHaveValue('');
  }
  const messages = page.getByRole('region', { name: 'Conversation' }).getByRole('listitem');
  await expect(messages).toHaveText([/You.*Second$/, /You.*First$/]);
  await expect(messages.first()).toHaveCSS('justify-self', 'end');
  await expectGood(page, 'a ticket');

  await message.fill('Half a thou');
  await page.reload();
  await expect(message).toHaveValue('Half a thou');
  await page.getByRole('button', { name: 'Close ticket' }).click();
  await dialog.getByRole('button', { name: 'Close ticket' }).click();
  await expect(page.getByText('This ticket is closed', { exact: false })).toBeVisible();
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Support tickets' }).click();
  const row = page.locator('main').getByRole('listitem').filter({ hasText: 'Why was I charged?' });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText('Closed');
});
