/** A customer changes how a connection is used: by another password, and without one. */
import { disconnect, listConnections } from '@cellhop/contract/connections';
import type { Page } from '@playwright/test';
import { fetchThrough } from './fetch-through.ts';
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
