import { listFaqEntries, changeFaqEntry } from '@cellhop/contract/staff/faq';
import { type Call, createClient } from '@cellhop/contract/client';
import { getProfile } from '@cellhop/contract/users';
import type { Page } from '@playwright/test';
import { accessToken, clickTwice, clientAs, createCustomer, enter, expect, PASSWORD, test } from './product.ts';
import { expectGood } from './screen-checks.ts';

const enterAsAdmin = (page: Page, path: string) => enter(page, path, 'admin@example.com', 'demo-password');

const signUpWith = (page: Page, referralCode: string) =>
  page.request.post('/v1/auth/sign-up', {
    data: {
      languageCode: 'en',
      email: `${referralCode}@example.com`,
      password: 'a long enough password',
      referralCode,
    },
  });

test('staff create a promo code, find it and disable it', async ({ page }) => {
  await enterAsAdmin(page, '/admin/referral-system/codes');
  const dialog = page.getByRole('dialog');
  const fill = async (code: string, email: string) => {
    await page.getByRole('button', { name: 'Create promo code' }).click();
    await dialog.getByLabel('Code', { exact: true }).fill(code);
    await dialog.getByLabel("Owner's email").fill(email);
  };
  await test.step('errors of the fields and of the server', async () => {
    await fill('ABCD', 'user@example.com');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(dialog.getByText('Minimum length 5')).toBeVisible();
    await expectGood(page, 'new promo code');
    await dialog.getByLabel('Code', { exact: true }).fill('welcome');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page.getByText('Code is already exist')).toBeVisible();
    await dialog.getByLabel("Owner's email").fill('nobody@example.com');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page.getByText('Referral not found')).toBeVisible();
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  await test.step('a double click creates one', async () => {
    await dialog.getByLabel('Code', { exact: true }).fill('SUMMER');
    await dialog.getByLabel("Owner's email").fill('user@example.com');
    await dialog.getByLabel('Trial credit').fill('2.50');
    await dialog.getByLabel('Maximum credits').fill('2');
    await dialog.getByLabel('Budget').fill('5');
    await dialog.getByLabel('Reason').fill('summer campaign');
    await clickTwice(dialog.getByRole('button', { name: 'Create', exact: true }));
    await expect(page.getByText('The promo code SUMMER was created')).toBeVisible();
    await expect(page.getByRole('row', { name: /SUMMER/ })).toHaveCount(1);
    await expect(page.getByRole('row', { name: /SUMMER/ })).toContainText('$0.00 of $5.00');
  });
  await test.step('the filters are in the URL', async () => {
    await page.getByLabel('Code begins with').fill('sum');
    await page.getByLabel('Code begins with').press('Enter');
    await expect(page).toHaveURL(/code=sum/);
    await expect(page.getByRole('row', { name: /WELCOME/ })).toHaveCount(0);
  });
  await test.step('sign-up refuses the disabled code', async () => {
    expect((await signUpWith(page, 'SUMMER')).status()).toBe(201);
    await page.getByRole('button', { name: 'Disable SUMMER' }).click();
    await dialog.getByLabel('Reason (optional)').fill('Shared in public');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await expect(page.getByRole('row', { name: /SUMMER/ })).toContainText('Disabled');
    expect((await signUpWith(page, 'summer')).status()).toBe(404);
  });
});

test('staff edit both languages of the FAQ, move entries, and see changes of others', async ({ page }) => {
  await enterAsAdmin(page, '/admin/faq');
  const main = page.getByRole('main');
  const dialog = page.getByRole('dialog');
  const entries = page.getByRole('list', { name: 'Entries' }).locator('> li');
  await expect(entries).toHaveCount(12);
  await test.step('a new entry comes last, and moves up', async () => {
    await page.getByRole('button', { name: 'New entry' }).click();
    await dialog.getByLabel('Question (English)').fill('Is there an app?');
    await dialog.getByLabel('Answer (English)').fill('Not yet.');
    await dialog.getByLabel('Question (Русский)').fill('Есть ли приложение?');
    await dialog.getByLabel('Answer (Русский)').fill('Пока нет.');
    await expect(dialog.getByRole('region', { name: 'Preview' })).toContainText('Пока нет.');
    await expectGood(page, 'new FAQ entry');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(entries.last()).toContainText('Есть ли приложение?');
    await page.getByRole('button', { name: 'Move up: Is there an app?' }).click();
    await expect(entries.nth(11)).toContainText('Is there an app?');
  });
  await test.step('somebody else changes it at the same time', async () => {
    await page.getByRole('button', { name: 'Change: Is there an app?' }).click();
    await dialog.getByLabel('Answer (English)').fill('Soon.');
    await changeElsewhere(page, 'Is there an app?', 'Nobody knows.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Nobody knows.');
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(entries.nth(11)).toContainText('Soon.');
  });
  await test.step('the preview and the FAQ of customers', async () => {
    await page.getByText('Preview: Русский').click();
    await expect(page).toHaveURL(/preview=ru/);
    await expect(main.locator('summary').nth(11)).toHaveText('Есть ли приложение?');
    await page.goto('/faq');
    await expect(main.locator('summary').nth(11)).toHaveText('Is there an app?');
  });
  await test.step('deleted', async () => {
    await page.goto('/admin/faq');
    await page.getByRole('button', { name: 'Delete: Is there an app?' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(entries).toHaveCount(12);
  });
});

/** Calls the API as the user of the page. */
async function clientOf(page: Page): Promise<Call> {
  const token = await accessToken(page);
  return createClient({
    baseUrl: new URL(page.url()).origin,
    headers: () => ({ authorization: `Bearer ${token}` }),
  });
}

async function changeElsewhere(page: Page, question: string, response: string): Promise<void> {
  const call = await clientOf(page);
  const { id, texts } = (await call(listFaqEntries, {})).data.find((entry) => entry.texts.en?.question === question)!;
  await call(changeFaqEntry, { params: { id }, body: { texts: { ...texts, en: { question, response } } } });
}

test('staff send a broadcast to a counted number of users, and a notification to one', async ({
  page,
  browser,
  product,
}) => {
  // Not a substring of another test's address, because mails are found by substring.
  const email = 'told-by-broadcast@example.com';
  await createCustomer(page, email, 'ru');
  const { id } = (await (await clientAs(email, product.url, PASSWORD))(getProfile, {})).data;
  await enterAsAdmin(page, '/admin/broadcasts');
  const dialog = page.getByRole('dialog', { name: 'New broadcast' });
  await test.step('texts, preview and filter', async () => {
    await page.getByRole('button', { name: 'New broadcast' }).click();
    await dialog.getByLabel('Text (English)').fill('<b>Maintenance</b> on Sunday');
    await dialog.getByLabel('Text (Русский)').fill('<b>Технические работы</b> в воскресенье');
    await expect(dialog.getByRole('region', { name: 'Preview' }).last().locator('b')).toHaveText('Технические работы');
    await dialog.getByLabel('Role').fill('USER');
    await expectGood(page, 'new broadcast');
    await page.setViewportSize({ width: 1440, height: 900 });
    // Other tests create such users, too.
    await dialog.getByLabel('Only these users').fill(id);
    await dialog.getByLabel('Language').click();
    await page.getByRole('listbox').getByRole('option', { name: 'Русский' }).click();
  });
  await test.step('the number of recipients, and the delivery', async () => {
    await dialog.getByRole('button', { name: 'Count recipients' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Send to fewer than 10 users?' });
    await expect(confirmation).toContainText('Language: Русский; Role: USER');
    await clickTwice(confirmation.getByRole('button', { name: 'Send' }));
    // Its readers have one language.
    const row = page.getByRole('row', { name: /Технические работы/ });
    await expect(row).toContainText('Delivered: fewer than 10');
    await expect(row).toHaveCount(1);
  });
  const customer = await (await browser.newContext()).newPage();
  await test.step('the customer reads it', async () => {
    await enter(customer, new URL('/proxies', page.url()).href, email);
    await customer.getByRole('button', { name: /Notifications|Уведомления/ }).click();
    await expect(customer.getByText('в воскресенье')).toBeVisible();
  });
  await test.step('a notification to a single user', async () => {
    await page.goto(`/admin/users/${id}/notifications`);
    const list = page.getByRole('list', { name: 'User notifications' });
    await expect(list).toContainText('Технические работы');
    await page.getByRole('button', { name: 'Send a notification' }).click();
    await page.getByRole('dialog').getByLabel('Text').fill('Ваш запрос <i>выполнен</i>');
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await expect(list).toContainText('Ваш запрос выполнен');
    await expectGood(page, 'notifications of a user');
    await expect(customer.getByText('Ваш запрос')).toBeVisible();
  });
  // It would poll during later tests.
  await customer.context().close();
});
