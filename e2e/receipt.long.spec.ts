import { buyProxy, callAs, createCustomer, enter, expect, test } from './product.ts';
import { expectAccessible } from './screen-checks.ts';

for (const theme of ['DARK', 'LIGHT'])
  test(`the receipt in a connection's details is accessible and fits, ${theme}`, async ({ page, product }) => {
    const email = `receipt-${theme.toLowerCase()}@example.com`;
    await page.addInitScript((value) => localStorage.setItem('theme', JSON.stringify(value)), theme);
    await createCustomer(page, email);
    await enter(page, '/connection-history', email);
    const client = callAs(page, product.url);
    await buyProxy(client);
    await page.reload();
    await page.getByRole('button', { name: /^Details of / }).click();
    const charges = page.getByRole('region', { name: 'Charges' });
    await expect(charges.getByRole('row', { name: /Purchase, MB 1–50/ })).toBeVisible();
    await expectAccessible(page, 'receipt');
    for (const width of [1440, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const overflow = () => page.getByRole('dialog').evaluate((element) => element.scrollWidth - element.clientWidth);
      await expect.poll(overflow).toBeLessThanOrEqual(0);
    }
  });
