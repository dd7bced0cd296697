import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sendBroadcast } from '@cellhop/contract/staff/notifications';
import { answerTicket } from '@cellhop/contract/staff/tickets';
import { createTicket } from '@cellhop/contract/tickets';
import { getProfile } from '@cellhop/contract/users';
import type { Page } from '@playwright/test';
import { accessToken, buyProxy, callAs, clientAs, createCustomer, enter, expect, test, topUp } from './product.ts';

const run = promisify(execFile);

const balance = (page: Page) => page.getByRole('link', { name: /^Balance / });
const bell = (page: Page) => page.getByRole('button', { name: /^Notifications/ });
const popup = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });

test('changes in one tab appear in the other without a reload, over one shared stream', async ({
  page,
  context,
  product,
}) => {
  const streams: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === LIVE_EVENTS_PATH) streams.push(request.url());
  });
  await createCustomer(page, 'two-tabs@example.com');
  await enter(page, '/proxies', 'two-tabs@example.com');
  await expect(balance(page)).toContainText('$1.00');
  const other = await context.newPage();
  await other.goto('/payments/invoices');
  await expect(balance(other)).toContainText('$1.00');
  await expect(other.getByText('No open or paid invoices', { exact: false })).toBeVisible();

  await topUp(callAs(page, product.url), 20);
  await expect(other.getByRole('row', { name: /Paid/ })).toHaveCount(1);
  await expect(balance(other)).toContainText('$21.00');
  // The trial credit was announced before.
  await expect(bell(other)).toHaveAccessibleName('Notifications, 2 unread');
  await expect(bell(page)).toHaveAccessibleName('Notifications, 2 unread');

  await bell(other).click();
  await expect(popup(other).getByText('$20.00 has been credited to your balance.')).toBeVisible();
  await expect(bell(page)).toHaveAccessibleName('Notifications');
  expect(streams).toHaveLength(1);

  await test.step('a broadcast appears in the open list of notifications', async () => {
    const { data: profile } = await callAs(page, product.url)(getProfile, {});
    const admin = await clientAs('admin@example.com', product.url);
    const en = { description: '<b>New countries</b>', content: 'See the <a href="/proxies">proxies</a>.' };
    const texts = { en, ru: { description: 'Новые страны' } };
    await admin(sendBroadcast, { body: { texts, audience: { userIds: [profile.id] } } });
    const item = popup(other).getByRole('listitem').first();
    await expect(item).toContainText('New countries');
    await expect(item.getByRole('link', { name: 'proxies' })).toHaveAttribute('href', '/proxies');
    await other.keyboard.press('Escape');
  });

  await test.step('a reply of the support team appears in the open ticket', async () => {
    const body = { name: 'Which countries?', description: 'Which ones are new?' };
    const { data: ticket } = await callAs(page, product.url)(createTicket, { body });
    await other.goto(`/support/tickets/${ticket.id}`);
    await expect(other.getByText('No messages yet.')).toBeVisible();
    const support = await clientAs('support@example.com', product.url);
    await support(answerTicket, { params: { id: ticket.id }, body: { content: 'Portugal and Chile.' } });
    const reply = other.getByRole('region', { name: 'Conversation' }).getByRole('listitem');
    await expect(reply).toHaveText(/Support team.*Portugal and Chile\.$/);
    await expect(bell(other)).toHaveAccessibleName('Notifications, 1 unread');
  });

  await test.step('when the tab with the stream is closed, the other tab opens a stream', async () => {
    await page.close();
    await expect.poll(() => streams.length).toBe(2);
    await topUp(callAs(other, product.url), 10);
    await expect(balance(other)).toContainText('$31.00');
  });
});

test('traffic updates usage, transactions and receipt without a reload', async ({ page, product }) => {
  await createCustomer(page, 'watching@example.com');
  await enter(page, '/usage?range=day', 'watching@example.com');
  const call = callAs(page, product.url);
  const bought = await buyProxy(call);
  const send = (megabytes: number) => {
    const { host, port, username, password } = bought;
    const line = `-sS -o /dev/null -x socks5h://${username}:${password}@${host}:${port}`.split(' ');
    return run('curl', [...line, `${product.url}/dev/download/${megabytes}`]);
  };
  const traffic = page
    .getByRole('term')
    .filter({ hasText: /^Traffic$/ })
    .locator('..');
  await expect(page.getByRole('row', { name: bought.ip })).toBeVisible();
  await send(51);
  await expect(traffic).toContainText('51.0 MB');

  await page.getByRole('link', { name: 'Transactions' }).click();
  const charges = page.getByRole('row', { name: /Traffic Proxy/ });
  await expect(charges.first()).toBeVisible();
  const before = await charges.count();
  await send(1);
  await expect.poll(() => charges.count()).toBeGreaterThan(before);

  await page.getByRole('link', { name: 'Connections' }).click();
  await page.getByRole('button', { name: /^Details of / }).click();
  const receipt = page.getByRole('region', { name: 'Charges' });
  await expect(receipt.getByRole('row', { name: /Purchase/ })).toBeVisible();
  const lines = await receipt.getByRole('row').count();
  await send(1);
  await expect.poll(() => receipt.getByRole('row').count()).toBeGreaterThan(lines);
});

test('ending a session elsewhere signs this browser out at once', async ({ page, browser, product }) => {
  await createCustomer(page, 'left@example.com');
  await enter(page, '/proxies', 'left@example.com');
  const token = await accessToken(page);
  await expect(balance(page)).toContainText('$1.00');
  const otherBrowser = await browser.newContext();
  const response = await otherBrowser.request.post(`${product.url}/v1/auth/logout`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status()).toBe(200);
  await expect(page).toHaveURL(/\/sign-in$/);
  await otherBrowser.close();
});
