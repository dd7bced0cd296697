import { createClient } from '@cellhop/contract/client';
import { searchProxies } from '@cellhop/contract/proxies';
import { accessToken, createCustomer, enter, expect, test } from './product.ts';
import { expectAccessible, expectFits, PHONE_WIDTH } from './screen-checks.ts';

const EMAIL = 'new-address@example.com';

test('a customer buys a proxy that rotates, and gets new addresses by the button and by the secret link', async ({
  page,
  product,
}) => {
  await createCustomer(page, EMAIL);
  await enter(page, '/proxies?country=JP', EMAIL);
  const call = createClient({
    baseUrl: product.url,
    headers: async () => ({ authorization: `Bearer ${await accessToken(page)}` }),
  });
  const find = async () => (await call(searchProxies, { query: { country: ['JP'] } })).data;
  await expect.poll(async () => (await find()).length).toBeGreaterThan(0);
  const [proxy] = await find();
  await page.reload();
  const offer = page.getByRole('row', { name: proxy!.ip });
  await expect(offer).toContainText('new IP on demand');
  await offer.getByRole('button', { name: `Buy ${proxy!.ip}`, exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Buy for/ })
    .click();
  await page.getByRole('link', { name: 'Go to connection history' }).click();

  const active = page.getByRole('region', { name: 'Active now' }).getByRole('listitem');
  const addressNow = active.getByText(/^127\.1\.\d+\.\d+$/);
  await page.getByRole('button', { name: `New IP for ${proxy!.ip}` }).click();
  await expect(addressNow).toBeVisible();
  const second = await addressNow.innerText();
  await expectAccessible(page, 'a connection with another address');
  await expectFits(page, 'a connection with another address', [PHONE_WIDTH, 1440]);

  await page.getByRole('button', { name: /^Details of / }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = await dialog.getByText(/\/v1\/rotate\/[0-9a-f]{40}$/).innerText();
  // Until the cooldown is over, the answer is 429.
  const open = async () => (await page.request.get(new URL(link).pathname)).status();
  await expect.poll(open).toBe(200);
  await expect(dialog.getByRole('list', { name: 'Recent addresses' })).toContainText(second);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(addressNow).not.toHaveText(second);
});
