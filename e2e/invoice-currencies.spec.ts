import type { Page } from '@playwright/test';
import type { CurrencyState } from '@cellhop/contract/invoices';
import { createCustomer, enter, expect, test } from './product.ts';

const CURRENCIES = '**/v1/payments/currencies';

const dialogOf = (page: Page) => page.getByRole('dialog');
const optionOf = (page: Page, name: RegExp) => page.getByRole('listbox').getByRole('option', { name });

test('an unavailable currency shows the reason, and cannot be chosen', async ({ page }) => {
  const states: CurrencyState[] = [
    { currency: 'BTC', problem: 'NETWORK' },
    { currency: 'ETH', problem: 'RATE' },
    { currency: 'LTC', problem: null },
  ];
  await page.route(CURRENCIES, (route) => route.fulfill({ json: { data: states } }));
  await createCustomer(page, 'currencies@example.com');
  await enter(page, '/payments/invoices?create=true', 'currencies@example.com');
  const dialog = dialogOf(page);
  await dialog.getByLabel('Amount, USD').fill('25');
  await dialog.getByRole('combobox', { name: 'Currency' }).click();
  await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(3);
  await expect(optionOf(page, /Bitcoin.*its network has trouble/)).toHaveAttribute('data-combobox-disabled', 'true');
  await expect(optionOf(page, /Ether.*no reliable exchange rate/)).toHaveAttribute('data-combobox-disabled', 'true');
  await optionOf(page, /Litecoin/).click();

  await test.step('the chosen one becomes unavailable, then all of them', async () => {
    states[2] = { currency: 'LTC', problem: 'RATE' };
    states[0] = { currency: 'BTC', problem: null };
    await reopen(page);
    await expect(dialog.getByRole('alert')).toHaveText('Unavailable now: there is no reliable exchange rate.');
    states[0] = { currency: 'BTC', problem: 'NETWORK' };
    await reopen(page);
    await expect(dialog.getByRole('alert')).toContainText('No currency is available right now');
    await expect(dialog.getByRole('button', { name: 'Create invoice' })).toBeDisabled();
  });
});

test('without the list, all currencies that are set up are offered', async ({ page }) => {
  await page.route(CURRENCIES, (route) =>
    route.fulfill({
      status: 404,
      json: { statusCode: 404, error: 'Not Found', code: 'NOT_FOUND', message: 'Path not found' },
    }),
  );
  await createCustomer(page, 'unlisted@example.com', 'ru');
  await enter(page, '/payments/invoices?create=true', 'unlisted@example.com');
  await dialogOf(page).getByRole('combobox').click();
  await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(9);
});

/** The draft keeps the amount and the chosen currency. */
async function reopen(page: Page): Promise<void> {
  await page.reload();
  await expect(dialogOf(page).getByLabel('Amount, USD')).toHaveValue('25');
}
