/** Settings of a customer's own connections: traffic cap, password, allow-list. */
import { connect, disconnect, listConnections } from '@cellhop/contract/connections';
import { listNotifications } from '@cellhop/contract/notifications';
import { searchProxies } from '@cellhop/contract/proxies';
import type { Page } from '@playwright/test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { callAs, createCustomer, enter, expect, readMail, test } from './product.ts';

/** Buys a proxy and opens its dialog. */
async function buyAndShow(page: Page, baseUrl: string) {
  const call = callAs(page, baseUrl);
  const [proxy] = (await call(searchProxies, { query: { country: ['BR'] } })).data;
  const { data: connection } = await call(connect, { body: { id: proxy!.id, price: proxy!.price } });
  await page.goto(`/connection-history?connection=${connection.id}`);
  const dialog = page.getByRole('dialog', { name: `Connection ${connection.ip}` });
  await expect(dialog.getByLabel('Traffic limit, MB')).toBeVisible();
  return { call, connection, dialog };
}

/** @returns the HTTP status of a request through the proxy; 0 if the connection was cut */
async function fetchThrough(proxy: string, url: string): Promise<number> {
  const curl = spawn('curl', ['-s', '-x', proxy, '-o', '/dev/null', '-w', '%{http_code}', '--max-time', '30', url]);
  let text = '';
  curl.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(curl, 'close')) as [number | null];
  return code === 0 ? Number(text) : 0;
}

test('a purchase shows its maximum possible charge, and the connection ends at its traffic cap', async ({
  page,
  product,
}) => {
  await createCustomer(page, 'capped-buyer@example.com');
  await enter(page, '/proxies', 'capped-buyer@example.com');
  await page
    .getByRole('button', { name: /^Buy 198\.18\./ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Maximum possible charge: $1.00')).toBeVisible();
  await dialog.getByLabel('Traffic limit, MB').fill('3.5');
  await expect(dialog.getByText('Enter a whole number from 1 to 10,000,000')).toBeVisible();
  await expect(dialog.getByRole('button', { name: /^Buy for/ })).toBeDisabled();
  await dialog.getByLabel('Traffic limit, MB').fill('3');
  const price = /\$[\d.]+/.exec((await dialog.getByRole('button', { name: /^Buy for/ }).textContent())!)![0];
  await expect(dialog.getByText(`Maximum possible charge: ${price}`)).toBeVisible();
  await dialog.getByRole('button', { name: /^Buy for/ }).click();
  await expect(dialog.getByText('The proxy is yours.', { exact: false })).toBeVisible();

  const call = callAs(page, product.url);
  const find = async () => (await call(listConnections, { query: {} })).data[0]!;
  const { capMegabytes, username, password, host, port } = await find();
  expect(capMegabytes).toBe(3);
  const proxy = `http://${username}:${password}@${host}:${port}`;
  expect(await fetchThrough(proxy, `${product.url}/dev/download/5`)).toBe(0);
  await expect.poll(find).toMatchObject({ status: 'NOT_WORK', endReason: 'CAP', trafficUsed: 3 * 1024 });
  await dialog.getByRole('link', { name: 'Go to connection history' }).click();
  await page.getByRole('button', { name: /^Details of / }).click();
  await expect(dialog.getByText('It reached its traffic limit')).toBeVisible();
  await expect(dialog.getByLabel('Traffic limit, MB')).toBeHidden();
});

test('a cap is set, refused below the used traffic, and removed', async ({ page, product }) => {
  await createCustomer(page, 'changes-cap@example.com');
  await enter(page, '/connection-history', 'changes-cap@example.com');
  const { call, connection, dialog } = await buyAndShow(page, product.url);
  const { username, password, host, port, id } = connection;
  const proxy = `http://${username}:${password}@${host}:${port}`;
  expect(await fetchThrough(proxy, `${product.url}/dev/download/2`)).toBe(200);
  const find = async () => (await call(listConnections, { query: { id } })).data[0]!;
  await expect.poll(async () => (await find()).trafficUsed).toBeGreaterThan(2048);

  const cap = dialog.getByLabel('Traffic limit, MB');
  const save = dialog
    .locator('form', { has: page.getByLabel('Traffic limit, MB') })
    .getByRole('button', { name: 'Save' });
  await expect(save).toBeDisabled();
  await cap.fill('2');
  await save.click();
  await expect(dialog.getByText('This connection has already used more than that')).toBeVisible();
  await cap.fill('60');
  const toast = expect(page.getByText('Traffic limit saved')).toBeVisible();
  await save.click();
  await toast;
  expect((await find()).capMegabytes).toBe(60);
  await cap.fill('');
  await save.click();
  await expect.poll(async () => (await find()).capMegabytes).toBeNull();
  await call(disconnect, { params: { id } });
});

test('a new password replaces the old one, and a listed address needs none', async ({ page, product }) => {
  await createCustomer(page, 'changes-password@example.com');
  await enter(page, '/connection-history', 'changes-password@example.com');
  const { call, connection, dialog } = await buyAndShow(page, product.url);
  const { username, password, host, port, id } = connection;
  const target = `${product.url}/dev/download/1`;
  const gateway = `${host}:${port}`;
  expect(await fetchThrough(`http://${username}:${password}@${gateway}`, target)).toBe(200);

  await dialog.getByRole('button', { name: 'Get a new password' }).click();
  const question = page.getByRole('dialog', { name: 'Replace the password?' });
  // From before the click on: it is visible for five seconds, which may be over when a busy machine comes to the next step.
  const toast = expect(page.getByText('The connection has a new password')).toBeVisible();
  await question.getByRole('button', { name: 'Get a new password' }).click();
  await toast;
  await expect(question).toBeHidden();
  const changed = (await call(listConnections, { query: { id } })).data[0]!.password!;
  expect(changed).not.toBe(password);
  await expect(dialog.getByText(changed, { exact: true })).toBeVisible();
  await expect.poll(() => fetchThrough(`http://${username}:${password}@${gateway}`, target)).toBe(407);
  expect(await fetchThrough(`http://${username}:${changed}@${gateway}`, target)).toBe(200);

  expect(await fetchThrough(`http://${gateway}`, target)).toBe(407);
  const field = dialog.getByLabel('IP address or network');
  const add = dialog.getByRole('button', { name: 'Add', exact: true });
  await field.fill('example.com');
  await add.click();
  await expect(dialog.getByText('Enter an IP address, or a network', { exact: false })).toBeVisible();
  await field.fill('203.0.113.77');
  await add.click();
  await expect(dialog.getByText('Only addresses that used this password', { exact: false })).toBeVisible();
  await dialog.getByRole('button', { name: 'Add 127.0.0.1' }).click();
  await expect(dialog.getByRole('button', { name: 'Remove 127.0.0.1' })).toBeVisible();
  await expect.poll(() => fetchThrough(`http://${gateway}`, target)).toBe(200);
  await dialog.getByRole('button', { name: 'Remove 127.0.0.1' }).click();
  await expect.poll(() => fetchThrough(`http://${gateway}`, target)).toBe(407);
  await call(disconnect, { params: { id } });
});

test('after a lost response to a new password, the next click does not change it again', async ({ page, product }) => {
  await createCustomer(page, 'loses-response@example.com');
  await enter(page, '/connection-history', 'loses-response@example.com');
  const { call, connection, dialog } = await buyAndShow(page, product.url);
  const { id } = connection;
  const passwordNow = async () => (await call(listConnections, { query: { id } })).data[0]!.password!;
  const keys: (string | undefined)[] = [];
  await page.route('**/credentials', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await dialog.getByRole('button', { name: 'Get a new password' }).click();
  const question = page.getByRole('dialog', { name: 'Replace the password?' });
  const confirm = question.getByRole('button', { name: 'Get a new password' });
  await confirm.click();
  await expect.poll(passwordNow).not.toBe(connection.password);
  const changed = await passwordNow();
  await confirm.click();
  await expect(question).toBeHidden();
  expect(await passwordNow()).toBe(changed);
  await expect(dialog.getByText(changed, { exact: true })).toBeVisible();
  expect(keys).toEqual([expect.any(String), keys[0]]);
  await call(disconnect, { params: { id } });
});

test('a customer chooses when to be alerted, and is alerted by notification and by email', async ({
  page,
  product,
}) => {
  const email = 'wants-alerts@example.com';
  await createCustomer(page, email);
  await enter(page, '/account', email);
  const amount = page.getByLabel('Alert me when the balance falls below, $');
  const save = page.getByRole('button', { name: 'Save alerts' });
  await amount.fill('a lot');
  await expect(page.getByText('Enter an amount like 1,234.56')).toBeVisible();
  await expect(save).toBeDisabled();
  await amount.fill('0.95');
  await save.click();
  await expect(page.getByText('Alerts saved')).toBeVisible();
  await page.reload();
  await expect(amount).toHaveValue('$0.95');
  await expect(page.getByLabel('Also send alerts by email')).toBeChecked();

  const { call, connection } = await buyAndShow(page, product.url);
  await expect.poll(async () => (await readMail(page, email)).subject).toBe('Your Cellhop balance is low');
  const { data } = await call(listNotifications, { query: {} });
  expect(data.map(({ description }) => description)).toContainEqual(expect.stringContaining('Your balance is low'));
  await call(disconnect, { params: connection });
});
