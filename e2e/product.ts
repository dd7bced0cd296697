import { test as base, expect, type Locator, type Page } from '@playwright/test';
import { signIn as signInEndpoint, type SignInResult } from '@cellhop/contract/auth';
import { reportBrowserError } from '@cellhop/contract/browser-errors';
import { ApiError, type Call, createClient } from '@cellhop/contract/client';
import { connect, type ConnectionWithBalance } from '@cellhop/contract/connections';
import { mailboxSchema, type Mail, payInvoice } from '@cellhop/contract/development';
import { createInvoice } from '@cellhop/contract/invoices';
import type { LanguageCode } from '@cellhop/contract/schemas';
import { searchProxies } from '@cellhop/contract/proxies';
import { toMicros } from '@cellhop/contract/units';
import pg from 'pg';
import { readFile } from 'node:fs/promises';

interface Database {
  url: string;
}

interface Product {
  url: string;
}

interface Fixtures {
  /** The product, which all tests share: it may have data of other tests, which may run at the same time. */
  product: Product;
  database: Database;
  /** Bodies of the errors that the web app has reported in the test's own context. A test that causes one removes it, or it fails. */
  errorReports: unknown[];
}

export const test = base.extend<Fixtures>({
  product: async ({}, use) => use({ url: process.env['E2E_PRODUCT_URL']! }),
  database: async ({}, use) => use({ url: process.env['E2E_DATABASE_URL']! }),
  baseURL: async ({ product }, use) => use(product.url),
  errorReports: [
    async ({ context }, use) => {
      const reports: unknown[] = [];
      context.on('request', (request) => {
        if (request.url().endsWith(reportBrowserError.url)) reports.push(request.postDataJSON());
      });
      await use(reports);
      // A poll may be inside a handler of the test, which would fail when the context closes.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      expect(reports, 'errors that the web app has reported').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** The password of every account that the end-to-end tests create. */
export const PASSWORD = 'a long enough password';
/** The sign-in page; `next` is the page to return to. */
export const SIGN_IN = /\/sign-in(?:\?next=[^&]+)?$/;

/** Waits for the newest email to an address. */
export async function readMail(page: Page, to: string): Promise<Mail> {
  let mail: Mail | undefined;
  await expect
    .poll(async () => {
      const response = await page.request.get('/dev/mailbox', { headers: { accept: 'application/json' } });
      mail = mailboxSchema.parse(await response.json()).find((each) => each.to === to);
      return mail;
    })
    .toBeDefined();
  return mail!;
}

/** Opens the link of the newest confirmation email on the origin that the end-to-end tests use, and presses the button of its page. */
export async function confirmEmail(page: Page, email: string): Promise<void> {
  await page.goto(toPath(await readMail(page, email)));
  await page.getByRole('button', { name: /^(?:Confirm|Подтвердить) email$/ }).click();
}

/** Sets the price of a free proxy, for tests that need a certain one: other tests may have bought all proxies with it. */
export async function setPrice({ url }: Database, proxyId: string, price: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('update proxies set price_micros = $2 where id = $1', [proxyId, toMicros(price)]);
  await client.end();
}

/** Creates an unconfirmed account through the API. */
export async function createAccount(page: Page, email: string, languageCode: LanguageCode = 'en'): Promise<void> {
  const body = { languageCode, email, password: PASSWORD, referralCode: 'WELCOME' };
  expect((await page.request.post('/v1/auth/sign-up', { data: body })).status()).toBe(201);
}

/** Creates a confirmed customer with the trial credit of the promo code. */
export async function createCustomer(page: Page, email: string, languageCode: LanguageCode = 'en'): Promise<void> {
  await createAccount(page, email, languageCode);
  const { pathname, searchParams } = new URL((await readMail(page, email)).links[0]!);
  await page.request.post(pathname, { form: Object.fromEntries(searchParams) });
}

/** Signs in with the form. */
export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto('/sign-in');
  await fillSignIn(page, email, password);
  await expect(page).toHaveURL(/\/proxies$/);
}

/** Fills and submits the form of the sign-in page. */
export async function fillSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in through the API and opens a page, for tests of other things than sign-in. */
export async function enter(page: Page, path: string, email: string, password = PASSWORD): Promise<void> {
  const response = await page.request.post('/v1/auth/sign-in', {
    data: { email, password },
    headers: { 'user-agent': await readUserAgent(page) },
  });
  expect(response.status()).toBe(200);
  const { data } = (await response.json()) as { data: SignInResult };
  const { accessToken, refreshToken, expiredAccessTokenAt } = data;
  // A file of the same origin without scripts: it gives access to the storage in which the web app keeps its tokens.
  await page.goto('/favicon.svg');
  await page.evaluate((tokens) => localStorage.setItem('tokens', JSON.stringify(tokens)), {
    accessToken,
    refreshToken,
    accessTokenExpiredAt: expiredAccessTokenAt,
  });
  await page.goto(path);
}

/** A client of one of the demo's users, without a browser. */
export async function clientAs(email: string, baseUrl: string, password = 'demo-password'): Promise<Call> {
  const { data } = await createClient({ baseUrl })(signInEndpoint, { body: { email, password } });
  return createClient({ baseUrl, headers: () => ({ authorization: `Bearer ${data.accessToken}` }) });
}

/** Any test may buy their proxies. One country has fewer proxies than all tests buy. */
const SHARED_COUNTRIES = ['US', 'GB', 'FR'];

/**
 * Buys the cheapest proxy of the shared countries, or the next one if another test was faster. A test that buys on the screen, where the first
 * row may be sold at any time, searches a country of its own instead.
 */
export async function buyProxy(call: Call): Promise<ConnectionWithBalance> {
  const { data: proxies } = await call(searchProxies, { query: { country: SHARED_COUNTRIES } });
  for (const { id, price } of proxies)
    try {
      return (await call(connect, { body: { id, price } })).data;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'PROXY_NOT_FOUND') throw error;
    }
  throw new Error(`No proxy of ${SHARED_COUNTRIES.join(', ')} is left`);
}

/** Pays an invoice on the sandbox network. */
export async function topUp(call: Call, amount: number): Promise<void> {
  const { data: invoice } = await call(createInvoice, { body: { currency: 'BTC', amount } });
  await call(payInvoice, { params: { id: invoice.id }, body: {} });
}

/** A client of the page's user. */
export function callAs(page: Page, baseUrl: string): Call {
  return createClient({ baseUrl, headers: async () => ({ authorization: `Bearer ${await accessToken(page)}` }) });
}

/** The access token of the page's session, for requests to the API. */
export async function accessToken(page: Page): Promise<string> {
  const texts = await page.evaluate(() => Object.values(localStorage));
  const token = texts.map((text) => /"accessToken":"([^"]+)"/.exec(text)?.[1]).find((found) => found !== undefined);
  expect(token).toBeDefined();
  return token!;
}

/**
 * Advances the page's clock after pending renders of React, and waits until React has rendered the changes of the timers:
 * React schedules with message channels, which the clock does not control.
 */
export async function passTime(page: Page, milliseconds: number): Promise<void> {
  await finishRendering(page);
  await page.clock.runFor(milliseconds);
  await finishRendering(page);
}

/**
 * Waits until an opened dialog has the focus, before keys are pressed in it: it takes the focus a timer after it is
 * shown, also from a button that already has it.
 */
export async function waitForDialogFocus(page: Page): Promise<void> {
  await expect(page.getByRole('dialog').locator(':focus')).toHaveCount(1);
  await finishRendering(page);
}

function finishRendering(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const { port1, port2 } = new MessageChannel();
    port1.start();
    // A render, its effects and what these render are a few messages; a long render is several.
    for (let turn = 0; turn < 20; turn++)
      await new Promise((resolve) => {
        port1.addEventListener('message', resolve, { once: true });
        port2.postMessage(undefined);
      });
    port1.close();
  });
}

/** A double click without delay: the second click comes before the page renders the effect of the first. */
export async function clickTwice(button: Locator): Promise<void> {
  await button.evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });
}

export function toPath({ links: [link] }: Mail): string {
  const { pathname, search } = new URL(link!);
  return pathname + search;
}

function readUserAgent(page: Page): Promise<string> {
  return page.evaluate(() => navigator.userAgent);
}

/** @returns the content of the file that a click downloads */
export async function download(page: Page, click: () => Promise<void>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), click()]);
  return readFile(await file.path(), 'utf8');
}
