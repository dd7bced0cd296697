import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { type Invoice, invoiceStatuses } from '@cellhop/contract/invoices';
import { exampleInvoice, paidLate, replaceable, replaced, shortAndOver } from '../web/test/example-invoices.ts';
import { createCustomer, enter, expect, test } from './product.ts';

const LIST = '**/v1/payments/invoices?*';

/** One of each status, then the late ones. */
const listed: Invoice[] = [...invoiceStatuses.map((status) => exampleInvoice(status)), shortAndOver, paidLate].map(
  (invoice, index) => ({ ...invoice, id: `00000000-0000-4000-8000-00000000000${index}`, amount: 25 + index }),
);

const messages: Record<Invoice['status'], RegExp> = {
  PENDING: /^Send exactly this amount/,
  CONFIRMING: /^We see your payment/,
  PARTIALLY_PAID: /^You sent less than the invoice amount/,
  PAID: /^Paid\. The money/,
  OVERPAID: /^You sent more than the invoice amount/,
  EXPIRED: /^The invoice has expired/,
};

test('invoices: form errors, a missing rate, payment details and every status', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await createCustomer(page, 'paying@example.com');
  await enter(page, '/payments/invoices', 'paying@example.com');
  await test.step('form errors and a missing rate', () => refuseInvoices(page));

  const list: MockedList = { invoices: [...listed], totalPages: 1 };
  await page.route(LIST, (route) => route.fulfill({ json: { data: list.invoices, totalPages: list.totalPages } }));
  await page.reload();
  await page.keyboard.press('Escape');
  await test.step('every status', async () => {
    for (const invoice of list.invoices) await checkInvoice(page, invoice);
  });
  await test.step('the rest of a partial payment appears live; reload and Back keep the dialog', () =>
    completePayment(page, list));
  await test.step('an open invoice that expires says so and offers a new one', () => letExpire(page, list));
  await test.step('page numbers stay visible while a page loads', () => changePages(page, list));
  await test.step('the URL of a missing page leads to the last page', () => openMissingPage(page));
});

test('a new invoice is listed once, although its live event comes before the response', async ({ page }) => {
  await createCustomer(page, 'listed-once@example.com');
  let respond!: () => void;
  const responding = new Promise<void>((resolve) => (respond = resolve));
  await page.route('**/v1/payments/invoices', async (route) => {
    const response = await route.fetch();
    await responding;
    await route.fulfill({ response });
  });
  await enter(page, '/payments/invoices?create=true', 'listed-once@example.com');
  const dialog = dialogOf(page);
  await dialog.getByLabel('Amount, USD').fill('25');
  await dialog.getByRole('combobox', { name: 'Currency' }).click();
  await page.getByRole('option', { name: 'Bitcoin' }).click();
  await dialog.getByRole('button', { name: 'Create invoice' }).click();
  await expect(page.getByRole('row')).toHaveCount(1 + 1);
  // The next list would correct the first.
  await page.route(LIST, () => {});
  respond();
  await expect(page).toHaveURL(/\?invoice=/);
  await expect(page.getByRole('row')).toHaveCount(1 + 1);
});

test('the payer sees that a payment may be replaced, and that it was', async ({ page }) => {
  await createCustomer(page, 'replaced-payment@example.com');
  let shown = replaceable;
  await page.route(LIST, (route) => route.fulfill({ json: { data: [shown], totalPages: 1 } }));
  await enter(page, `/payments/invoices?invoice=${shown.id}`, 'replaced-payment@example.com');
  await expect(receivedOf(page)).toContainText('Detected, not in a block yet; the sender can still replace it');
  shown = replaced;
  await page.reload();
  const dialog = dialogOf(page);
  await expect(dialog.getByText('A payment of 0.00025000 BTC was replaced by its sender or dropped')).toBeVisible();
  await expect(receivedOf(page)).toHaveCount(0);
  await expect(codeOf(page)).toBeVisible();
});

/** The response of the list of invoices. */
interface MockedList {
  invoices: Invoice[];
  totalPages: number;
}

const dialogOf = (page: Page) => page.getByRole('dialog');
const statusOf = (page: Page, status: Invoice['status']) =>
  dialogOf(page).getByRole('status').getByText(messages[status]);
const codeOf = (page: Page) => dialogOf(page).getByRole('img', { name: 'QR code of the address' });
const receivedOf = (page: Page) => dialogOf(page).getByRole('region', { name: 'Received' });
const buttonOf = (page: Page, { amount }: Invoice) =>
  page.getByRole('row', { name: new RegExp(`\\$${amount}\\.00 0\\.00025000 BTC`) }).getByRole('button');
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

async function refuseInvoices(page: Page): Promise<void> {
  const dialog = dialogOf(page);
  await expect(page.getByText('You have no invoices yet', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Create new invoice' }).click();
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
}

async function checkInvoice(page: Page, invoice: Invoice): Promise<void> {
  const { id, status, payment, expiredAt } = invoice;
  await buttonOf(page, invoice).click();
  await expect(page).toHaveURL(new RegExp(`invoice=${id}$`));
  await expect(statusOf(page, status)).toBeVisible();
  if (status === 'PENDING') await checkPending(page, invoice);
  else if (status === 'PARTIALLY_PAID' && Date.parse(expiredAt) > Date.now()) await checkPartiallyPaid(page);
  else await expect(codeOf(page)).toHaveCount(0);
  if (status === 'OVERPAID') await expect(receivedOf(page)).toContainText('Excess0.00005000 BTC');
  if (payment?.isLate === true)
    await expect(receivedOf(page)).toContainText('A payment arrived after the invoice expired.');
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toBeHidden();
}

async function checkPending(page: Page, { address }: Invoice): Promise<void> {
  const dialog = dialogOf(page);
  await expect(codeOf(page)).toBeVisible();
  await expect(dialog.getByText(/^Expires in (?:59:|1:00:)\d\d$/)).toBeVisible();
  await dialog.getByRole('button', { name: /^Copy Exact amount, BTC: 0/ }).click();
  expect(await copied(page)).toBe('0.00025000');
  await dialog.getByRole('button', { name: /^Copy Address: / }).click();
  expect(await copied(page)).toBe(address);
}

async function checkPartiallyPaid(page: Page): Promise<void> {
  const received = receivedOf(page);
  await expect(received).toContainText('0.00010000 of 0.00025000 BTC');
  await expect(received).toContainText('Remaining0.00015000 BTC');
  await expect(received).toContainText('Credited to your balance$10.00');
  await expect(codeOf(page)).toBeVisible();
  await dialogOf(page)
    .getByRole('button', { name: /^Copy Remaining, BTC: / })
    .click();
  expect(await copied(page)).toBe('0.00015000');
  // This state contains the elements of all others.
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa']).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)).toEqual([]);
}

async function completePayment(page: Page, list: MockedList): Promise<void> {
  const dialog = dialogOf(page);
  const received = receivedOf(page);
  const short = list.invoices[2]!;
  await buttonOf(page, short).click();
  await expect(received).toContainText('Remaining');
  list.invoices[2] = { ...short, status: 'CONFIRMING', payment: list.invoices[1]!.payment };
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(received).toContainText('Confirming0.00025000 BTC');
  await expect(received).not.toContainText('Remaining');
  await expect(codeOf(page)).toHaveCount(0);
  await page.reload();
  await expect(statusOf(page, 'CONFIRMING')).toBeVisible();
  await page.goBack();
  await expect(dialog).toBeHidden();
  list.invoices[2] = short;
}

async function letExpire(page: Page, list: MockedList): Promise<void> {
  const dialog = dialogOf(page);
  // Long enough for a busy machine to load the page and open the dialog.
  list.invoices[0] = { ...list.invoices[0]!, expiredAt: new Date(Date.now() + 20_000).toISOString() };
  await page.reload();
  await buttonOf(page, list.invoices[0]).click();
  await expect(dialog.getByText(/^Expires in 00:[0-2]\d$/)).toBeVisible();
  await expect(statusOf(page, 'EXPIRED')).toBeVisible({ timeout: 30_000 });
  await expect(codeOf(page)).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Create new invoice' }).click();
  await expect(page).toHaveURL(/create=true$/);
  await expect(dialog.getByLabel('Amount, USD')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
}

async function changePages(page: Page, list: MockedList): Promise<void> {
  list.totalPages = 2;
  await page.reload();
  const second = page.getByRole('button', { name: 'Page 2' });
  await expect(second).toBeVisible();
  let respond!: () => void;
  const responding = new Promise<void>((resolve) => (respond = resolve));
  await page.route(LIST, async (route) => {
    await responding;
    await route.fulfill({ json: { data: list.invoices.slice(0, 1), totalPages: list.totalPages } });
  });
  await second.click();
  await expect(page).toHaveURL(/\?page=2$/);
  await expect(page.getByRole('row')).toHaveCount(1 + 5);
  await expect(page.getByRole('button', { name: 'Page 1' })).toBeVisible();
  respond();
  await expect(page.getByRole('row')).toHaveCount(1 + 1);
}

async function openMissingPage(page: Page): Promise<void> {
  await page.route(LIST, (route) => {
    const isPast = route.request().url().includes('page=9');
    return route.fulfill({ json: { data: isPast ? [] : listed, totalPages: 2 } });
  });
  await page.goto('/payments/invoices?page=9');
  await expect(page.getByText('Page 9 no longer exists.')).toBeVisible();
  await page.getByRole('button', { name: 'Go to the last page' }).click();
  await expect(page).toHaveURL(/\?page=2$/);
  await expect(page.getByRole('row')).toHaveCount(1 + listed.length);
}
