import { currencies } from '@cellhop/contract/invoices.values';
import type { Page } from '@playwright/test';
import { exampleInvoice, exampleReceipt } from '../web/test/example-invoices.ts';
import { mockResponses } from './gallery-screen.ts';
import { ticketScreens } from './gallery-tickets.ts';
import { menuPaths } from './menu.ts';
import { enter, expect, test } from './product.ts';
import {
  buyAsUser,
  changeRows,
  expectAccessible,
  expectGood,
  inspect,
  looks,
  memberPages,
  misfits,
  prefer,
  publicPages,
} from './screen-checks.ts';

const texts = {
  en: { signIn: 'Sign in', find: 'Find', required: 'Required field' },
  ru: { signIn: 'Войти', find: 'Найти', required: 'Обязательное поле' },
} as const;

/** Mocks a response of the API; other end-to-end tests cover that the API returns it. */
async function mockResponse(page: Page, path: string, status: number, body: object): Promise<void> {
  await page.route(`**${path}`, (route) => route.fulfill({ status, json: body }));
}

function refusal(statusCode: number, code: string) {
  return { statusCode, error: 'Refused', code, message: code };
}

/** The states with the most elements; the gallery has all of them. */
const ticketStates = ['ticket-limited', 'notifications-unread', 'menu-toggled'];

for (const [language, theme] of looks) {
  test(`every screen is accessible and fits, ${language}, ${theme}`, async ({ page, product }) => {
    await buyAsUser(product.url);
    await prefer(page, language, theme);
    for (const path of publicPages) await inspect(page, path);
    await page.goto('/sign-in');
    await expect(page.getByRole('button', { name: texts[language].signIn })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', language);
    await enter(page, '/proxies', 'user@example.com', 'demo-password');
    await expect(page.getByRole('button', { name: texts[language].find })).toBeVisible();
    for (const path of [...(await menuPaths(page, 'customers')), ...memberPages]) await inspect(page, path);
  });

  test(`the states of account screens are accessible and fit, ${language}, ${theme}`, async ({ page }) => {
    await prefer(page, language, theme);
    await checkRecovery(page, texts[language].required);
    await checkSecondStep(page);
    await checkAccount(page, texts[language].required);
    await checkSecondFactorDue(page);
  });

  test(`the details of an invoice are accessible and fit, ${language}, ${theme}`, async ({ page }) => {
    // This state has the elements of all others.
    const invoice = exampleInvoice('PARTIALLY_PAID');
    await prefer(page, language, theme);
    await mockResponse(page, '/v1/payments/invoices?*', 200, { data: [invoice], totalPages: 1 });
    await enter(page, `/payments/invoices?invoice=${invoice.id}`, 'user@example.com', 'demo-password');
    await expect(page.getByRole('dialog').getByRole('region')).toBeVisible();
    await expectGood(page, 'a partly paid invoice');
  });

  test(`the receipt of a top-up is accessible and fits, ${language}, ${theme}`, async ({ page }) => {
    await prefer(page, language, theme);
    await mockResponse(page, '/v1/payments/receipts/17', 200, { data: exampleReceipt });
    await enter(page, '/transactions?receipt=17', 'user@example.com', 'demo-password');
    await expect(page.getByRole('dialog').getByText(exampleReceipt.transactionId)).toBeVisible();
    await expectGood(page, 'a receipt of a top-up');
  });

  test(`the filled form of a new invoice is accessible and fits, ${language}, ${theme}`, async ({ page }) => {
    await prefer(page, language, theme);
    // A pending invoice, which the new one replaces, in the currency with the longest name.
    const pending = exampleInvoice('PENDING', { currency: 'USDT_BSC', amountInCurrency: '25.00' });
    await mockResponse(page, '/v1/payments/invoices?*', 200, { data: [pending], totalPages: 1 });
    const states = currencies.map((currency) => ({
      currency,
      problem: currency === 'TON' ? ('NETWORK' as const) : null,
      dollarsPerCoin: '1.0000',
    }));
    await mockResponse(page, '/v1/payments/currencies', 200, { data: states });
    await enter(page, '/payments/invoices?create=true', 'user@example.com', 'demo-password');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('group').getByRole('button').nth(1).click();
    await expect(dialog.getByText(/25[.,]00 USDT/)).toBeVisible();
    await expect(dialog.getByRole('alert')).toBeVisible();
    await expectGood(page, 'a filled form of an invoice');
    await dialog.getByRole('combobox').click();
    await expect(page.getByRole('option')).toHaveCount(currencies.length);
  });

  test(`the calendar of a date is accessible, ${language}, ${theme}`, async ({ page }) => {
    await prefer(page, language, theme);
    await enter(page, '/transactions?to=2020-01-31', 'user@example.com', 'demo-password');
    await page
      .getByRole('button', { name: /: (?:calendar|календарь)$/ })
      .last()
      .click();
    await expect(page.locator('[data-autofocus]:focus')).toBeVisible();
    await expectAccessible(page, 'calendar');
  });

  test(`the states of support and of the app shell are accessible and fit, ${language}, ${theme}`, async ({ page }) => {
    await prefer(page, language, theme);
    await enter(page, '/faq', 'user@example.com', 'demo-password');
    for (const name of ticketStates) {
      const { path, responses = {}, act } = ticketScreens.find((screen) => screen.name === name)!;
      const { restore } = await mockResponses(page, responses);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await act?.(page);
      await expectGood(page, name);
      await restore();
    }
  });
}

for (const [language, theme] of looks)
  test(`columns fit the longest addresses and every status, ${language}`, async ({ page, product }) => {
    await buyAsUser(product.url);
    await prefer(page, language, theme);
    await changeRows(page, /\/v1\/proxies(?:\?|$)/, (proxies) => proxies.map((proxy) => ({ ...proxy, ...LONG })));
    await changeRows(page, /\/v1\/proxies\/connections\?/, ([connection]) =>
      statuses.map((status, id) => ({ ...connection, ...LONG, id, status, refundStatus: 'REFUNDED' })),
    );
    await enter(page, '/proxies', 'user@example.com', 'demo-password');
    for (const [path, width] of [
      ['/proxies', 768],
      // Below this width connections are cards.
      ['/connection-history', 1280],
      ['/connection-history', 1440],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(path);
      await expect(page.getByRole('cell', { name: LONG.ip }).first()).toBeVisible();
      await expect.poll(() => misfits(page), `${path} at ${width}`).toEqual([]);
    }
  });

for (const [language, theme] of looks)
  test(`the limits and the last refusal of a connection are accessible and fit, ${language}`, async ({
    page,
    product,
  }) => {
    await buyAsUser(product.url);
    await prefer(page, language, theme);
    await changeRows(page, /\/v1\/proxies\/connections\?/, (connections) =>
      connections.map((connection) => ({ ...connection, limits: LIMITS, lastRefusal })),
    );
    await enter(page, '/connection-history', 'user@example.com', 'demo-password');
    await page
      .getByRole('button', { name: /^(?:Details of|Подробности) / })
      .first()
      .click();
    await expect(page.getByRole('dialog').getByText(/25, 465-587, 6660-6669/)).toBeVisible();
    await expectGood(page, 'limits of a connection');
  });

const LIMITS = { ports: 'deny 25 465-587 6660-6669', tunnels: 20, bytesPerSecond: 312_500 };
const lastRefusal = { reason: 'fair-share-exceeded', refusedAt: '2026-11-21T12:00:00.000Z' };
const LONG = { ip: '188.113.127.201', zip: '400004' };
const statuses = ['WORK', 'NOT_WORK', 'DISCONNECT_USER', 'DISCONNECT_ADMIN', 'NO_MONEY'];

async function checkRecovery(page: Page, required: string): Promise<void> {
  const submit = page.locator('button[type=submit]');
  await page.goto('/restore-access');
  await submit.click();
  await expect(page.getByText(required)).toBeVisible();
  await expectGood(page, 'mistakes');
  await page.getByLabel('Email').fill('a.rather.long.address.of.somebody@department.example.com');
  await mockResponse(page, '/v1/auth/recovery-password', 200, {
    data: { sessionId: '00000000-0000-4000-8000-000000000000', nextSendingAllowedIn: Date.now() + 90_000 },
  });
  await submit.click();
  await expect(page.getByText(/1 (?:minute|минуту) /)).toBeVisible();
  await expectGood(page, 'notice');
}

async function checkSecondStep(page: Page): Promise<void> {
  const submit = page.locator('button[type=submit]');
  await mockResponse(page, '/v1/auth/sign-in', 403, refusal(403, 'SECOND_FACTOR_REQUIRED'));
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill('user@example.com');
  await page.locator('input[type=password]').fill('demo-password');
  await submit.click();
  await page.locator('input[autocomplete=one-time-code]').fill('123456');
  await mockResponse(page, '/v1/auth/sign-in', 400, refusal(400, 'SECOND_FACTOR_INVALID'));
  await submit.click();
  await expect(page.getByRole('alert')).toBeVisible();
  await expectGood(page, 'second step of sign-in');
}

async function checkAccount(page: Page, required: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  // Two sessions, so that one can be ended.
  await enter(page, '/favicon.svg', 'user@example.com', 'demo-password');
  await enter(page, '/account#security', 'user@example.com', 'demo-password');
  await page.locator('#password button[type=submit]').click();
  await expect(page.getByText(required)).toHaveCount(3);
  await expectGood(page, 'account, mistakes');
  await page.locator('#sessions button').last().click();
  await expect(dialog).toBeVisible();
  await expectGood(page, 'account, end the other sessions');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.locator('#second-factor button').click();
  await dialog.locator('input').fill('demo-password');
  await dialog.locator('button[type=submit]').click();
  await expect(dialog.locator('svg[role=img]')).toBeVisible();
  await expectGood(page, 'account, QR code');
  const recoveryCodes = Array.from({ length: 10 }, (_, index) => `k3vz-9pqt-7mxd-2hf${index}`);
  await mockResponse(page, '/v1/auth/second-factor/enable', 200, { data: { recoveryCodes } });
  const onSince = '2026-11-21T12:00:00.000Z';
  await mockResponse(page, '/v1/auth/second-factor', 200, {
    data: { isOn: true, isRequired: false, onSince, recoveryCodesLeft: 2 },
  });
  await dialog.locator('input').fill('123456');
  await dialog.locator('button[type=submit]').click();
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  await expectGood(page, 'account, recovery codes');
  await dialog.locator('button').last().click();
  await expect(dialog).toBeHidden();
  await expectGood(page, 'account, two-factor sign-in on');
  await page.locator('#second-factor button').first().click();
  await expect(dialog).toBeVisible();
  await expectGood(page, 'account, switch two-factor sign-in off');
}

async function checkSecondFactorDue(page: Page): Promise<void> {
  await page.route('**/v1/profile', async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { data: { ...data, secondFactor: 'DUE' } } });
  });
  await page.goto('/payments/invoices');
  await expect(page.locator('a[href="/account#second-factor"]')).toBeVisible();
  await expectGood(page, 'second factor due');
  await page.getByRole('button', { name: /Account menu|Меню аккаунта/ }).click();
  await expect(page.getByRole('menuitem')).toHaveCount(2);
  await expectGood(page, 'account menu');
}
