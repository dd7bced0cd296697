/** A customer checks a receipt in the browser, without the server, and downloads the checker. */
import { getReceipt, getReceiptKey } from '@cellhop/contract/receipts';
import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { buyProxy, clientAs, createCustomer, download, enter, expect, PASSWORD, test } from './product.ts';

async function check(page: Page, receipt: unknown): Promise<void> {
  const buffer = Buffer.from(JSON.stringify(receipt));
  await page.getByLabel('Receipt, the signed JSON file').setInputFiles({
    name: 'receipt.json',
    mimeType: 'application/json',
    buffer,
  });
  await page.getByRole('button', { name: 'Check', exact: true }).click();
}

test('a receipt is checked in the browser, also without the server', async ({ page, product }) => {
  await createCustomer(page, 'accountant@example.com');
  const call = await clientAs('accountant@example.com', product.url, PASSWORD);
  const connection = await buyProxy(call);
  const { data: receipt } = await call(getReceipt, { params: { id: connection.id } });
  const { data: key } = await call(getReceiptKey, {});

  await test.step('the connection links to the page', async () => {
    await enter(page, `/connection-history?connection=${connection.id}`, 'accountant@example.com');
    const link = page.getByRole('dialog').getByRole('link', { name: 'Check a receipt' });
    await expect(link).toHaveAttribute('href', '/check-receipt');
    await page.goto('/check-receipt');
  });
  const result = page.getByRole('status');
  await test.step('with the published key', async () => {
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByText('No file is chosen')).toBeVisible();
    await check(page, receipt);
    await expect(result).toContainText('The receipt is valid: 1 charge');
    await check(page, 'no receipt');
    await expect(result).toHaveText('This file is not a receipt in JSON.');
  });
  await test.step('the downloaded program is the documented one', async () => {
    const text = await download(page, () => page.getByRole('link', { name: 'Download check.mjs' }).click());
    expect(text).toBe(await readFile(new URL('../tools/receipt-checker/check.mjs', import.meta.url), 'utf8'));
  });
  await test.step('without a network, with a saved key', async () => {
    await page.context().setOffline(true);
    await check(page, receipt);
    await expect(result).toContainText('Enter the key to check without the network.');
    await page.getByLabel('Public key (optional)').fill(key.publicKey);
    await check(page, receipt);
    await expect(result).toContainText('The receipt is valid');
    await check(page, { ...receipt, uploadedBytes: receipt.uploadedBytes + 1 });
    await expect(result).toHaveText('The receipt is not valid: the signature does not fit the receipt');
  });
});
