/** The traffic cap of a customer's own connection. */
import { listConnections } from '@cellhop/contract/connections';
import { fetchThrough } from './fetch-through.ts';
import { callAs, createCustomer, enter, expect, test } from './product.ts';

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
