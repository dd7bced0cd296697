/** The papers of the seller: the receipt of a top-up and the imprint. */
import { listTransactions } from '@cellhop/contract/transactions';
import { callAs, createCustomer, enter, expect, test, topUp } from './product.ts';

test('a customer opens the numbered receipt of a top-up, which names the seller, and reads the imprint in both languages', async ({
  page,
  product,
}) => {
  await createCustomer(page, 'reads-papers@example.com');
  await enter(page, '/account', 'reads-papers@example.com');
  await page.getByLabel('Company name').fill('Rohrpost GmbH');
  await page.getByRole('button', { name: 'Save company' }).click();
  await expect(page.getByText('Company saved')).toBeVisible();
  const call = callAs(page, product.url);
  await topUp(call, 30);

  await page.goto('/transactions');
  await page.getByRole('button', { name: /^Receipt \d+$/ }).click();
  await expect(page).toHaveURL(/\?receipt=\d+$/);
  const { receipt } = (await call(listTransactions, { query: { kind: ['TOP_UP'] } })).data[0]!;
  const paper = page.getByRole('dialog', { name: `Receipt ${receipt}` }).getByRole('article');
  for (const text of ['Example Funk GmbH', '10115 Berlin', 'VAT ID: DE123456789', 'Rohrpost GmbH', '$30.00', 'Bitcoin'])
    await expect(paper).toContainText(text);
  await expect(paper).toContainText('Small business: no VAT is charged.');
  // The number alone is the way to it, and only for its owner.
  await createCustomer(page, 'reads-foreign-papers@example.com');
  await enter(page, `/transactions?receipt=${receipt}`, 'reads-foreign-papers@example.com');
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
  await expect(page.getByText('Rohrpost GmbH')).toHaveCount(0);

  await page.goto('/legal/imprint');
  const imprint = page.getByRole('article');
  await expect(imprint.getByRole('heading', { level: 1 })).toHaveText('Imprint');
  await expect(imprint).toContainText('VAT ID: DE123456789');
  await page.getByRole('button', { name: 'Русский' }).click();
  await expect(imprint.getByRole('heading', { level: 1 })).toHaveText('Данные продавца');
  await expect(imprint).toContainText('Example Funk GmbH');
});
