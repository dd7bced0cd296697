/** Settings of a customer's own connections: traffic cap, password, allow-list. */
import { disconnect, listConnections } from '@cellhop/contract/connections';
import type { Page } from '@playwright/test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buyProxy, callAs, createCustomer, enter, expect, test } from './product.ts';

/** Buys a proxy and opens its dialog. */
async function buyAndShow(page: Page, baseUrl: string) {
  const call = callAs(page, baseUrl);
  const connection = await buyProxy(call);
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
  await enter(page, '/proxies?country=MX', 'capped-buyer@example.com');
  await page
    .getByRole('button', { name: /^Buy 198\.18\./ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText(/^Then \$[\d.]+ per MB until you disconnect, at most your balance$/)).toBeVisible();
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
  await dialog.getByRole('button', { name: 'Add 127.0.0.1' }).click();
  await expect(dialog.getByRole('button', { name: 'Remove 127.0.0.1' })).toBeVisible();
  await expect.poll(() => fetchThrough(`http://${gateway}`, target)).toBe(200);
  await dialog.getByRole('button', { name: 'Remove 127.0.0.1' }).click();
  await expect.poll(() => fetchThrough(`http://${gateway}`, target)).toBe(407);
  await call(disconnect, { params: { id } });
});
