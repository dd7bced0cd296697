/** Screenshots of the states of purchase, connections, invoices, transactions and usage. */
import type { ConnectionWithBalance } from '@cellhop/contract/connections';
import { errorCatalogue, type ErrorCode } from '@cellhop/contract/errors';
import type { Invoice } from '@cellhop/contract/invoices';
import { invoiceStatuses } from '@cellhop/contract/invoices.values';
import type { Page } from '@playwright/test';
import { exampleConnection } from '../web/test/example-connections.ts';
import { exampleInvoice, paidLate, shortAndOver, waitsForPeg } from '../web/test/example-invoices.ts';
import { failure, ok, refusal, type Screen } from './gallery-screen.ts';

const CONNECT = '/v1/proxies/connections';
const CATALOGUE = ['/v1/proxies', '/v1/proxies?*', '/v1/proxies/filter'];

const catalogueIs = (response: 'PENDING' | typeof failure) =>
  Object.fromEntries(CATALOGUE.map((path) => [path, response]));
const connectIs = (code: ErrorCode) => {
  const { status, message } = errorCatalogue[code];
  return { [CONNECT]: refusal(status, code, message) };
};

/** Cards of open connections have a button to end them before the details of the rows. */
const firstDetails = (page: Page) =>
  page
    .locator('main')
    .getByRole('button', { name: /^(?:Details of|Подробности) 198\.18\./ })
    .first();

const firstRowButton = (page: Page) =>
  page
    .locator('main')
    .getByRole('button', { name: /198\.18\./ })
    .first();

async function buyFirst(page: Page): Promise<void> {
  await firstRowButton(page).click();
  await page.getByRole('dialog').getByRole('button').last().click();
  // The message about success or failure.
  await page.locator('[data-kind], output svg').first().waitFor();
}

const bought: ConnectionWithBalance = { ...exampleConnection(7), currentBalance: 24.6 };

export const moneyScreens: Screen[] = [
  { name: 'proxies-none', path: '/proxies?country=DE&city=Nowhere' },
  { name: 'proxies-loading', path: '/proxies', responses: catalogueIs('PENDING') },
  { name: 'proxies-failed', path: '/proxies', responses: catalogueIs(failure) },
  { name: 'proxy-dialog', path: '/proxies', act: (page) => firstRowButton(page).click() },
  { name: 'proxy-sold', path: '/proxies', responses: connectIs('PROXY_NOT_FOUND'), act: buyFirst },
  { name: 'proxy-small-balance', path: '/proxies', responses: connectIs('SMALL_BALANCE'), act: buyFirst },
  {
    name: 'proxy-bought',
    path: '/proxies',
    responses: { [CONNECT]: { status: 201, json: { data: bought } } },
    act: buyFirst,
  },
  { name: 'connection-dialog', path: '/connection-history', act: (page) => firstDetails(page).click() },
  {
    name: 'connections-none',
    path: '/connection-history',
    responses: { '/v1/proxies/connections?*': ok({ data: [], totalPages: 0 }) },
  },
  { name: 'connections-past-last', path: '/connection-history?page=9' },
  {
    name: 'receipt',
    path: '/connection-history',
    act: async (page) => {
      await page
        .locator('main')
        .getByRole('button', { name: /^(?:Details of|Подробности) 198\.18\./ })
        .last()
        .click();
      await page.locator('[role=dialog] figure').scrollIntoViewIfNeeded();
    },
  },
  { name: 'transactions-filtered', path: '/transactions?kind=REFUND&kind=MEGABYTE&from=2026-01-01' },
  { name: 'transactions-none', path: '/transactions?to=2020-01-31' },
  {
    name: 'transactions-calendar',
    path: '/transactions?from=2026-11-05&to=2026-11-20',
    act: async (page) => {
      await page.getByRole('button', { name: /^(?:To: calendar|По: календарь)$/ }).click();
      await page.locator('[data-autofocus]').waitFor();
    },
  },
  {
    name: 'transactions-mistake',
    path: '/transactions',
    act: async (page) => {
      const to = page.getByRole('textbox', { name: /^(?:To|По)$/ });
      // The 31st of February, without dots as on the numeric keypad of a phone.
      await to.pressSequentially('31022026');
      await to.press('Enter');
    },
  },
  { name: 'usage-day', path: '/usage?range=day' },
  { name: 'usage-own-range', path: '/usage?from=2026-01-01&to=2026-01-31' },
  { name: 'usage-one-day', path: '/usage?from=2026-11-21&to=2026-11-21' },
  { name: 'usage-failed', path: '/usage', responses: { '/v1/usage?*': failure } },
  { name: 'usage-loading', path: '/usage', responses: { '/v1/usage?*': 'PENDING' } },
  { name: 'invoice-new', path: '/payments/invoices?create=true' },
  {
    name: 'invoice-pay',
    path: '/payments/invoices',
    act: (page) =>
      page
        .locator('main')
        .getByRole('button', { name: /Litecoin/ })
        .first()
        .click(),
  },
  ...invoiceStatuses.map((status) =>
    invoiceScreen(`invoice-${status.toLowerCase().replace('_', '-')}`, exampleInvoice(status)),
  ),
  invoiceScreen('invoice-partially-paid-over', shortAndOver),
  invoiceScreen('invoice-paid-late', paidLate),
  invoiceScreen('invoice-waits-for-peg', waitsForPeg),
];

function invoiceScreen(name: string, invoice: Invoice): Screen {
  return {
    name,
    path: `/payments/invoices?invoice=${invoice.id}`,
    responses: { '/v1/payments/invoices?*': ok({ data: [invoice], totalPages: 3 }) },
    act: (page) => page.getByRole('dialog').getByRole('status').first().waitFor(),
  };
}
