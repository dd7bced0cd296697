import { createClient } from '@cellhop/contract/client';
import { type Connection, listConnections } from '@cellhop/contract/connections';
import { megabytePrice, startedMegabytes, toMicros } from '@cellhop/contract/units';
import { getProfile } from '@cellhop/contract/users';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { accessToken, buyProxy, createCustomer, expect, signIn, test, waitForDialogFocus } from './product.ts';

/**
 * Starts a download of 90 MB that nobody reads: it stays under way however slow the machine is, and what the system buffers is less than
 * the 50 MB that are paid.
 */
async function startDownload({ host, port, username, password }: Connection, origin: string): Promise<IncomingMessage> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const headers = { host: new URL(origin).host, 'proxy-authorization': authorization };
  const request = get({ host, port, path: `${origin}/dev/download/90`, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // The test waits for the reset later; Node reports it on both.
  request.on('error', () => {});
  response.on('error', () => {});
  return response;
}

test('Disconnect cuts a running download and charges exactly what was used', async ({ page, product }) => {
  await createCustomer(page, 'hasty@example.com');
  await signIn(page, 'hasty@example.com');
  const call = createClient({
    baseUrl: product.url,
    headers: async () => ({ authorization: `Bearer ${await accessToken(page)}` }),
  });
  const connection = await buyProxy(call);
  const used = async () => (await call(listConnections, { query: {} })).data[0]!.trafficUsed;

  const download = await startDownload(connection, product.url);
  // The API shows usage during the download.
  await expect.poll(used, { intervals: [100] }).toBeGreaterThan(0);

  await page.getByRole('link', { name: 'Connections' }).click();
  const responding = new AbortController();
  const mayRespond = once(responding.signal, 'abort');
  await page.route('**/disconnect', async (route) => {
    const response = await route.fetch();
    await mayRespond;
    await route.fulfill({ response });
  });
  await page
    .getByRole('button', { name: /^Disconnect \d/ })
    .first()
    .press('Enter');
  const question = page.getByRole('dialog', { name: `Disconnect ${connection.ip}?` });
  await expect(question).toContainText(/You get \$0\.\d+ back for \d+ unused MB\./);
  await waitForDialogFocus(page);
  await question.getByRole('button', { name: 'Disconnect' }).press('Enter');
  // The live event may arrive before the response.
  await expect(page.getByRole('row', { name: /Ended by you/ })).toBeVisible();
  responding.abort();
  await expect(question).toBeHidden();
  await expect(page.getByRole('button', { name: /^Details of / })).toBeFocused();
  await expect(finished(download.resume())).rejects.toThrow('aborted');

  const [ended] = (await call(listConnections, { query: {} })).data;
  const begun = startedMegabytes(BigInt(ended!.trafficUsed * 1024));
  expect(toMicros(ended!.paidFor)).toBe(begun * megabytePrice(toMicros(ended!.price)));
  const { balance } = (await call(getProfile, {})).data;
  expect(toMicros(balance)).toBe(1_000_000n - toMicros(ended!.paidFor));
});
