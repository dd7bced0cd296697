import { AxeBuilder } from '@axe-core/playwright';
import { type Invoice, invoiceStatuses } from '@cellhop/contract/invoices';
import { exampleInvoice, paidLate, shortAndOver } from './example-invoices.ts';
import { createCustomer, enter, expect, test } from './product.ts';

const LIST = '**/v1/payments/invoices?*';

/** What is half faded in has other colours. */
test.use({ contextOptions: { reducedMotion: 'reduce' } });

/** One of each status, then those whose time is over. */
const listed: Invoice[] = [...invoiceStatuses.map((status) => exampleInvoice(status)), shortAndOver, paidLate].map(
  (invoice, index) => ({ ...invoice, id: `00000000-0000-4000-8000-00000000000${index}`, amount: 25 + index }),
);

const told: Record<Invoice['status'], RegExp> = {
  PENDING: /^Send exactly this amount/,
  CONFIRMING: /^We see your payment/,
  PARTIALLY_PAID: /^Less than the invoice arrived/,
  PAID: /^Paid\. The money/,
  OVERPAID: /^More than the invoice arrived/,
  EXPIRED: /^The invoice has expired/,
};

test('an invoice: mistakes, no rate, how to pay, and every way it can end', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await createCustomer(page, 'paying@example.com');
  await enter(page, '/payments/invoices', 'paying@example.com');
  await expect(page.getByText('You have no invoices yet', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Create new invoice' }).click();
  const dialog = page.getByRole('dialog');
  const create = dialog.getByRole('button', { name: 'Create invoice' });
  await create.click();
  await expect(dialog.getByText('Required field')).toHaveCount(2);
  await dialog.getByLabel('Amount, USD').fill('4');
  await expect(dialog.getByText('Minimum value 5')).toBeVisible();
  await dialog.getByLabel('Amount, USD').fill('42,50');
  await create.focus();
  await expect(dialog.getByText('Enter an amount like 1,234.56')).toBeVisible();
  await expect(dialog.getByLabel('Amount, USD')).toHaveValue('42,50');
  await dialog.getByLabel('Amount, USD').fill('25');
  await dialog.getByRole('combobox', { name: 'Currency' }).click();
  await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(9);
  await page.getByRole('option', { name: 'Bitcoin' }).click();
  await page.route('**/v1/payments/invoices', (route) =>
    route.fulfill({
      status: 503,
      json: { statusCode: 503, error: 'Service Unavailable', code: 'RATE_UNAVAILABLE', message: 'Rate is unavailable' },
    }),
  );
  await create.click();
  await expect(dialog.getByRole('alert')).toContainText('There is no reliable exchange rate right now');
  await page.keyboard.press('Escape');

  let totalPages = 1;
  await page.route(LIST, (route) => route.fulfill({ json: { data: listed, totalPages } }));
  await page.reload();
  await page.keyboard.press('Escape');
  const row = (amount: number) => page.getByRole('row', { name: new RegExp(`\\$${amount}\\.00 0\\.00025000 BTC`) });
  const code = dialog.getByRole('img', { name: 'QR code of the address' });
  const received = dialog.getByRole('region', { name: 'Received' });
  for (const { id, amount, status, payment, expiredAt } of listed) {
    await row(amount).getByRole('button').click();
    await expect(page).toHaveURL(new RegExp(`invoice=${id}$`));
    await expect(dialog.getByRole('status').getByText(told[status])).toBeVisible();
    if (status === 'PENDING') {
      await expect(code).toBeVisible();
      await expect(dialog.getByText(/^Expires in (?:59:|1:00:)\d\d$/)).toBeVisible();
      await dialog.getByRole('button', { name: 'Copy Exact amount, BTC' }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('0.00025000');
      await dialog.getByRole('button', { name: 'Copy Address' }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(listed[0]!.address);
    } else if (status === 'PARTIALLY_PAID' && Date.parse(expiredAt) > Date.now()) {
      await expect(received).toContainText('0.00010000 of 0.00025000 BTC');
      await expect(received).toContainText('Missing0.00015000 BTC');
      await expect(received).toContainText('On your balance$10.00');
      await expect(code).toBeVisible();
      await dialog.getByRole('button', { name: 'Copy Still missing, BTC' }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('0.00015000');
      // It has all that the others have, and more.
      const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa']).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)).toEqual([]);
    } else await expect(code).toHaveCount(0);
    if (status === 'OVERPAID') await expect(received).toContainText('More than asked for0.00005000 BTC');
    if (payment?.isLate === true) await expect(received).toContainText('A payment came after the invoice had ended.');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }

  await test.step('the rest of a short payment, seen while one looks; then back, and a reload', async () => {
    const short = listed[2]!;
    await row(short.amount).getByRole('button').click();
    await expect(received).toContainText('Missing');
    listed[2] = { ...short, status: 'CONFIRMING', payment: listed[1]!.payment };
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    await expect(received).toContainText('Being confirmed0.00025000 BTC', { timeout: 15_000 });
    await expect(received).not.toContainText('Missing');
    await expect(code).toHaveCount(0);
    await page.reload();
    await expect(dialog.getByRole('status').getByText(told.CONFIRMING)).toBeVisible();
    await page.goBack();
    await expect(dialog).toBeHidden();
    listed[2] = short;
  });

  await test.step('one that expires while one looks says so by itself, and leads to a new one', async () => {
    listed[0] = { ...listed[0]!, expiredAt: new Date(Date.now() + 3000).toISOString() };
    await page.reload();
    await row(listed[0].amount).getByRole('button').click();
    await expect(dialog.getByText(/^Expires in 00:0\d$/)).toBeVisible();
    await expect(dialog.getByRole('status').getByText(told.EXPIRED)).toBeVisible();
    await expect(code).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Create new invoice' }).click();
    await expect(page).toHaveURL(/create=true$/);
    await expect(dialog.getByLabel('Amount, USD')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('pages: the number of them stays in sight while one loads', async () => {
    totalPages = 2;
    await page.reload();
    const second = page.getByRole('button', { name: 'Page 2' });
    await expect(second).toBeVisible();
    let answer: (() => void) | undefined;
    await page.unroute(LIST);
    await page.route(LIST, async (route) => {
      await new Promise<void>((resolve) => (answer = resolve));
      await route.fulfill({ json: { data: listed.slice(0, 1), totalPages } });
    });
    await second.click();
    await expect(page).toHaveURL(/\?page=2$/);
    await expect(page.getByRole('row')).toHaveCount(1 + 5);
    await expect(page.getByRole('button', { name: 'Page 1' })).toBeVisible();
    answer!();
    await expect(page.getByRole('row')).toHaveCount(1 + 1);
  });

  await test.step('an address of a page that there is not leads to the last one', async () => {
    await page.unroute(LIST);
    await page.route(LIST, (route) => {
      const isPast = route.request().url().includes('page=9');
      return route.fulfill({ json: { data: isPast ? [] : listed, totalPages: 2 } });
    });
    await page.goto('/payments/invoices?page=9');
    await expect(page.getByText('There is no page 9 any more.')).toBeVisible();
    await page.getByRole('button', { name: 'To the last page' }).click();
    await expect(page).toHaveURL(/\?page=2$/);
    await expect(page.getByRole('row')).toHaveCount(1 + listed.length);
  });
});
