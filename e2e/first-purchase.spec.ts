import type { Page } from '@playwright/test';
import { type Call, createClient } from '@cellhop/contract/client';
import { type Connection, listConnections } from '@cellhop/contract/connections';
import { megabytePrice, startedMegabytes, toDollars, toMicros } from '@cellhop/contract/units';
import { searchProxies } from '@cellhop/contract/proxies';
import { getReceiptKey } from '@cellhop/contract/receipts';
import { getProfile } from '@cellhop/contract/users';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { checkReceipt } from '../tools/receipt-checker/check.mjs';
import { formatMoney } from '../web/src/format/format.ts';
import { accessToken, confirmEmail, download, expect, PASSWORD, test } from './product.ts';

const run = promisify(execFile);

/** Runs a copied command line as a customer would. @returns the bytes that curl counted */
async function runCurl(line: string) {
  const counters = '{"request":%{size_request},"head":%{size_header},"body":%{size_download}}';
  const { stdout } = await run('bash', ['-c', `${line} -sS -w '${counters}'`]);
  return JSON.parse(stdout) as { request: number; head: number; body: number };
}

/** The format of the screens. */
const money = (micros: bigint) => formatMoney(toDollars(micros));
/** Of a list: cents, rounded down. */
const inCents = (micros: bigint) => micros - (micros % 10_000n);

interface Visit {
  page: Page;
  call: Call;
}

const EMAIL = 'newcomer@example.com';
const START_MICROS = 21_000_000n;

test('a new user signs up, tops up, buys a proxy, sends traffic and gets a refund', async ({ page, product }) => {
  const call = createClient({
    baseUrl: product.url,
    headers: async () => ({ authorization: `Bearer ${await accessToken(page)}` }),
  });
  const visit: Visit = { page, call };
  await test.step('signs up with the public promo code and confirms the email, which signs in', () => signUp(page));
  await test.step('has the trial credit', () => findCredit(page));
  await test.step('tops up 20 dollars on the sandbox network', () => topUp(visit));
  const curl = await test.step('finds a German proxy and buys it', () => buyGermanProxy(visit));

  const [bought] = (await call(listConnections, { query: {} })).data;
  const priceMicros = toMicros(bought!.price);
  await test.step('the first 50 MB are paid', async () => {
    expect(await balanceMicros(call)).toBe(START_MICROS - priceMicros / 2n);
  });
  const passedBytes = await test.step('sends traffic with the command shown; it appears within 5 seconds', () =>
    sendTraffic(page, curl));
  await test.step('exactly the bytes of the tunnel are counted', async () => {
    // The screen rounds: it may have shown a report before the last one.
    await expect.poll(() => countedBytes(call)).toBe(passedBytes);
  });

  // The headers of the response begin the sixth megabyte.
  expect(startedMegabytes(BigInt(passedBytes))).toBe(6n);
  await test.step('disconnects and gets a refund, exact to the micro-dollar', () => disconnect(visit, priceMicros));
  await test.step('the receipt agrees, and the receipt checker accepts it', () => compareReceipt(visit, priceMicros));
  await test.step('the transactions agree, and their CSV file adds up to the balance', () =>
    compareTransactions(visit, bought!));
  await test.step('the ended connection passes no traffic', async () => {
    await expect(runCurl(curl)).rejects.toThrow();
  });
});

const countedBytes = async (call: Call) => (await call(listConnections, { query: {} })).data[0]!.trafficUsed * 1024;
const balanceMicros = async (call: Call) => toMicros((await call(getProfile, {})).data.balance);

async function signUp(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByRole('link', { name: 'Start with $1 free' }).first().click();
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm password').fill(PASSWORD);
  await expect(page.getByLabel('Referral code')).toHaveValue('WELCOME');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page.getByText('Confirm your email')).toBeVisible();
  await confirmEmail(page, EMAIL);
  await expect(page).toHaveURL(/\/proxies$/);
}

async function findCredit(page: Page): Promise<void> {
  await expect(page.getByRole('link', { name: /^Balance / })).toContainText('$1.00');
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
  await expect(page.getByText('Your trial credit of $1.00 is on your balance.', { exact: false })).toBeVisible();
  await page.keyboard.press('Escape');
}

async function topUp({ page, call }: Visit): Promise<void> {
  await page.getByRole('link', { name: 'Payments' }).click();
  await page.getByRole('button', { name: 'Create new invoice' }).first().click();
  await page.getByLabel('Amount, USD').fill('20');
  await page.getByRole('combobox', { name: 'Currency' }).click();
  await page.getByRole('option', { name: 'Bitcoin' }).click();
  await page.getByRole('button', { name: 'Create invoice' }).click();
  await expect(page.getByText('SANDBOX — test mode')).toBeVisible();
  await page.getByRole('button', { name: 'Pay on the sandbox network' }).click();
  await expect(page.getByRole('link', { name: /^Balance / })).toContainText('$21.00');
  expect(await balanceMicros(call)).toBe(START_MICROS);
  await expect(page.getByRole('dialog').getByText('Paid. The money is on your balance.')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('row', { name: /Paid/ })).toHaveCount(1);
}

/** @returns the curl command line shown */
async function buyGermanProxy({ page, call }: Visit): Promise<string> {
  const [proxy] = (await call(searchProxies, { query: { country: ['DE'] } })).data;
  await page.getByRole('link', { name: 'Proxies' }).first().click();
  await page.getByRole('combobox', { name: 'Country' }).click();
  await page.getByRole('option', { name: 'Germany' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Find' }).click();
  // By its address: the rows of all countries are shown until the search begins.
  await page.getByRole('button', { name: `Buy ${proxy!.ip}`, exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Buy for/ })
    .click();
  await expect(page.getByText('The proxy is yours.', { exact: false })).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Test' }).click();
  await expect(page.getByRole('dialog').getByText('It works.')).toBeVisible();
  await page.getByRole('dialog').getByRole('combobox', { name: 'Format' }).click();
  await page.getByRole('option', { name: 'curl' }).click();
  const curl = (
    await page
      .getByRole('dialog')
      .getByText(/^curl -x socks5h:/)
      .first()
      .innerText()
  ).trim();
  expect(curl).toContain('/dev/download/5');
  return curl;
}

/** @returns the bytes of the tunnel, as curl counted them */
async function sendTraffic(page: Page, curl: string): Promise<number> {
  await page.getByRole('link', { name: 'Go to connection history' }).click();
  const counters = await runCurl(curl);
  expect(counters.body).toBe(5 * 1_048_576);
  const passedBytes = counters.request + counters.head + counters.body;
  await expect(page.getByRole('region', { name: 'Active now' }).getByRole('listitem')).toContainText('5.0 MB');
  return passedBytes;
}

async function disconnect({ page, call }: Visit, priceMicros: bigint): Promise<void> {
  await page
    .getByRole('button', { name: /^Disconnect \d/ })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await expect(page.getByRole('row', { name: /Ended by you/ })).toContainText('Refunded');
  const charge = 6n * megabytePrice(priceMicros);
  expect(await balanceMicros(call)).toBe(START_MICROS - charge);
  const [connection] = (await call(listConnections, { query: {} })).data;
  expect(toMicros(connection!.paidFor)).toBe(charge);
  expect(connection).toMatchObject({ status: 'DISCONNECT_USER', refundStatus: 'REFUNDED' });
}

async function compareReceipt({ page, call }: Visit, priceMicros: bigint): Promise<void> {
  await page.getByRole('button', { name: /^Details of / }).click();
  const dialog = page.getByRole('dialog');
  const charges = dialog.getByRole('region', { name: 'Charges' });
  await expect(charges.getByRole('row')).toHaveCount(3);
  await expect(charges.getByRole('row', { name: /Purchase, MB 1–50/ })).toContainText(money(priceMicros / 2n));
  const back = 44n * megabytePrice(priceMicros);
  await expect(charges.getByRole('row', { name: /Refund, MB 7–50/ })).toContainText(`-${money(back)}`);
  const receipt = JSON.parse(await download(page, () => dialog.getByRole('button', { name: /JSON/ }).click())) as {
    total: number;
  };
  const { data: key } = await call(getReceiptKey, {});
  expect(await checkReceipt(receipt, { publicKey: key.publicKey })).toBeUndefined();
  expect(await checkReceipt({ ...receipt, total: receipt.total + 1 }, { publicKey: key.publicKey })).toBeDefined();
  expect(toMicros(receipt.total)).toBe(6n * megabytePrice(priceMicros));
  const csv = await download(page, () => dialog.getByRole('button', { name: /CSV/ }).click());
  expect(csv.split('\r\n')).toHaveLength(4);
  await dialog.getByRole('button', { name: 'Close' }).click();
}

async function compareTransactions({ page, call }: Visit, { ip, price }: Connection): Promise<void> {
  await page.getByRole('link', { name: 'Transactions' }).click();
  const row = (kind: string) => page.getByRole('row', { name: new RegExp(kind) });
  const priceMicros = toMicros(price);
  const charge = 6n * megabytePrice(priceMicros);
  const ipPattern = ip.replaceAll('.', String.raw`\.`);
  await expect(row(`Refund Proxy ${ipPattern}`)).toContainText(`+${money(inCents(44n * megabytePrice(priceMicros)))}`);
  await expect(row('Refund')).toContainText(money(inCents(START_MICROS - charge)));
  await expect(row(`Purchase, first 50 MB Proxy ${ipPattern}`)).toContainText(`-${money(priceMicros / 2n)}`);
  await expect(row('Top-up Invoice in Bitcoin')).toContainText('+$20.00');
  await expect(row('Trial credit Promo code WELCOME')).toContainText('+$1.00');
  const csv = await download(page, () => page.getByRole('button', { name: 'Download CSV' }).click());
  const amounts = csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[2]!);
  expect(amounts).toHaveLength(4);
  expect(amounts.reduce((sum, amount) => sum + toMicros(Number(amount)), 0n)).toBe(await balanceMicros(call));
}
