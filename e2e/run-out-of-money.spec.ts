import { createClient } from '@cellhop/contract/client';
import { connect, listConnections } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import { getProfile } from '@cellhop/contract/users';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessToken, createCustomer, expect, setPrice, signIn, test } from './product.ts';

const MB = 1_048_576;

/** Downloads until the proxy cuts the tunnel. @returns the bytes of the tunnel, and curl's exit code */
async function downloadThrough(proxy: string, target: string) {
  const counters = '{"request":%{size_request},"head":%{size_header},"body":%{size_download}}';
  const curl = spawn('curl', ['-sS', '-x', proxy, target, '-o', '/dev/null', '-w', counters]);
  let output = '';
  curl.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(curl, 'close')) as [number];
  const { request, head, body } = JSON.parse(output) as { request: number; head: number; body: number };
  return { code, bytes: request + head + body };
}

test('a download is cut at the last paid byte, and the balance is zero', async ({ page, product, database }) => {
  await createCustomer(page, 'poor@example.com');
  // The web app reports an end only if it has seen the connection before.
  const firstList = page.waitForResponse((response) => response.url().includes(listConnections.url));
  await signIn(page, 'poor@example.com');
  await firstList;
  const call = createClient({
    baseUrl: product.url,
    headers: async () => ({ authorization: `Bearer ${await accessToken(page)}` }),
  });
  const [proxy] = (await call(searchProxies, { query: { country: ['IN'] } })).data;
  await setPrice(database, proxy!.id, 0.4);
  const { data: connection } = await call(connect, { body: { id: proxy!.id, price: 0.4 } });

  // One dollar: 20 cents for the first 50 MB, 80 cents for 200 more.
  const { host, port, username, password } = connection;
  const address = `socks5h://${username}:${password}@${host}:${port}`;
  const { code, bytes } = await downloadThrough(address, `${product.url}/dev/download/400`);
  expect(bytes).toBe(250 * MB);
  expect(code).not.toBe(0);
  await expect(page.getByText(`${connection.ip} was disconnected: your balance ran out`)).toBeVisible();

  await page.getByRole('link', { name: 'Connections' }).click();
  const row = page.getByRole('row', { name: /Out of funds/ });
  await expect(row).toContainText('250.0 MB');
  await expect(row).toContainText('$1.00');
  await expect(page.getByRole('link', { name: /^Balance / })).toContainText('$0.00');
  expect((await call(getProfile, {})).data.balance).toBe(0);
  const [ended] = (await call(listConnections, { query: {} })).data;
  expect(ended).toMatchObject({ status: 'NO_MONEY', trafficUsed: 250 * 1024, paidFor: 1, refundStatus: 'NONE' });

  await page.goto('/proxies?country=IN');
  await page
    .getByRole('button', { name: /^Buy 198\.18\./ })
    .first()
    .click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Buy for/ })
    .click();
  await expect(page.getByText('Insufficient funds', { exact: false })).toBeVisible();
  await page.getByRole('link', { name: 'Top up the balance' }).click();
  await expect(page.getByRole('dialog', { name: 'New invoice' })).toBeVisible();
});
