import { createClient } from '@cellhop/contract/client';
import { listConnections } from '@cellhop/contract/connections';
import { megabytePrice, startedMegabytes, toDollars, toMicros } from '@cellhop/contract/units';
import { getReceiptKey } from '@cellhop/contract/receipts';
import { getProfile } from '@cellhop/contract/users';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { checkReceipt } from '../tools/receipt-checker/check.mjs';
import { formatMoney } from '../web/src/lib/format.ts';
import { accessToken, download, expect, readMail, test } from './product.ts';

const run = promisify(execFile);

/** Runs a copied line as a customer would, and asks curl what really passed. */
async function runCurl(line: string) {
  const counters = '{"request":%{size_request},"head":%{size_header},"body":%{size_download}}';
  const { stdout } = await run('bash', ['-c', `${line} -sS -w '${counters}'`]);
  return JSON.parse(stdout) as { request: number; head: number; body: number };
}

/** As the screens show it. */
const money = (micros: bigint) => formatMoney(toDollars(micros));

test('a stranger signs up, tops up, buys a proxy, sends traffic and gets the unused part back', async ({
  page,
  product,
}) => {
  const email = 'stranger@example.com';
  const password = 'a long enough password';

  await test.step('signs up with a promo code and confirms the mail', async () => {
    await page.goto('/');
    await page.getByRole('link', { name: 'Sign up' }).first().click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Confirm password').fill(password);
    await page.getByLabel('Referral code').fill('welcome');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expect(page.getByText('Confirm your email')).toBeVisible();
    const mail = await readMail(page, email);
    await page.goto(mail.links[0]!.replace(/^https?:\/\/[^/]+/, ''));
    await expect(page).toHaveURL(/\/public-message\?message=/);
  });

  await test.step('signs in and has the trial credit', async () => {
    await page.goto('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL(/\/proxies$/);
    await expect(page.getByRole('link', { name: /^Balance / })).toContainText('$1.00');
  });

  const client = createClient({
    baseUrl: product.url,
    headers: async () => ({ authorization: `Bearer ${await accessToken(page)}` }),
  });
  const balanceMicros = async () => toMicros((await client(getProfile, {})).data.balance);

  await test.step('tops up 20 dollars on the sandbox chain', async () => {
    await page.getByRole('link', { name: 'Payments' }).click();
    await page.getByRole('button', { name: 'Create new invoice' }).first().click();
    await page.getByLabel('Amount, USD').fill('20');
    await page.getByRole('combobox', { name: 'Currency' }).click();
    await page.getByRole('option', { name: 'Bitcoin' }).click();
    await page.getByRole('button', { name: 'Create invoice' }).click();
    await expect(page.getByText('SANDBOX — test mode')).toBeVisible();
    await page.getByRole('button', { name: 'Pay on the sandbox chain' }).click();
    await expect(page.getByRole('link', { name: /^Balance / })).toContainText('$21.00', { timeout: 10_000 });
    expect(await balanceMicros()).toBe(21_000_000n);
    await expect(page.getByRole('dialog').getByText('Paid. The money is on your balance.')).toBeVisible();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await expect(page.getByRole('row', { name: /Paid/ })).toHaveCount(1);
  });

  let curl = '';
  await test.step('finds a German proxy and buys it', async () => {
    await page.getByRole('link', { name: 'Proxies' }).first().click();
    await page.getByRole('combobox', { name: 'Country' }).click();
    await page.getByRole('option', { name: 'Germany' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Find' }).click();
    await page
      .getByRole('button', { name: /^Buy 198\.18\./ })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Buy for/ })
      .click();
    await expect(page.getByText('The proxy is yours.', { exact: false })).toBeVisible();
    curl = (
      await page
        .getByRole('dialog')
        .getByText(/^curl -x socks5h:/)
        .first()
        .innerText()
    ).trim();
    expect(curl).toContain('/dev/download/5');
  });

  const [bought] = (await client(listConnections, { query: {} })).data;
  const priceMicros = toMicros(bought!.price);
  await test.step('the first 50 MB are paid', async () => {
    expect(await balanceMicros()).toBe(21_000_000n - priceMicros / 2n);
  });

  let passedBytes = 0;
  await test.step('sends traffic with the shown line; it appears within 5 seconds', async () => {
    await page.getByRole('link', { name: 'Go to connection history' }).click();
    const counters = await runCurl(curl);
    expect(counters.body).toBe(5 * 1_048_576);
    passedBytes = counters.request + counters.head + counters.body;
    await expect(page.getByRole('row', { name: /Works/ })).toContainText('5.0 MB', { timeout: 5000 });
  });

  await test.step('every byte of the tunnel is counted, and no other', async () => {
    const [connection] = (await client(listConnections, { query: {} })).data;
    expect(connection!.trafficUsed * 1024).toBe(passedBytes);
  });

  await test.step('disconnects and gets the unused part back, to the micro-dollar', async () => {
    await page.getByRole('button', { name: /^Disconnect / }).click();
    await expect(page.getByRole('row', { name: /Disconnected by you/ })).toContainText('Refunded');
    // The head of the answer begins the sixth megabyte.
    expect(startedMegabytes(BigInt(passedBytes))).toBe(6n);
    const charge = 6n * megabytePrice(priceMicros);
    expect(await balanceMicros()).toBe(21_000_000n - charge);
    const [connection] = (await client(listConnections, { query: {} })).data;
    expect(toMicros(connection!.paidFor)).toBe(charge);
    expect(connection).toMatchObject({ status: 'DISCONNECT_USER', refundStatus: 'REFUNDED' });
  });

  await test.step('the receipt tells the same, and the checker of the repository agrees', async () => {
    await page.getByRole('button', { name: /^Details of / }).click();
    const dialog = page.getByRole('dialog');
    const charges = dialog.getByRole('region', { name: 'Charges' });
    await expect(charges.getByRole('row')).toHaveCount(3);
    await expect(charges.getByRole('row', { name: /Purchase, MB 1–50/ })).toContainText(money(priceMicros / 2n));
    const back = 44n * megabytePrice(priceMicros);
    await expect(charges.getByRole('row', { name: /Back, MB 7–50/ })).toContainText(`-${money(back)}`);
    const receipt = JSON.parse(await download(page, () => dialog.getByRole('button', { name: /JSON/ }).click())) as {
      total: number;
    };
    const { data: key } = await client(getReceiptKey, {});
    expect(checkReceipt(receipt, { publicKey: key.publicKey })).toBeUndefined();
    expect(checkReceipt({ ...receipt, total: receipt.total + 1 }, { publicKey: key.publicKey })).toBeDefined();
    expect(toMicros(receipt.total)).toBe(6n * megabytePrice(priceMicros));
    const csv = await download(page, () => dialog.getByRole('button', { name: /CSV/ }).click());
    expect(csv.split('\r\n')).toHaveLength(4);
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  await test.step('the statement tells the same, and its file adds up to the balance', async () => {
    await page.getByRole('link', { name: 'Transactions' }).click();
    const row = (kind: string) => page.getByRole('row', { name: new RegExp(kind) });
    const charge = 6n * megabytePrice(priceMicros);
    const ip = bought!.ip.replaceAll('.', String.raw`\.`);
    await expect(row(`Refund Proxy ${ip}`)).toContainText(`+${money(44n * megabytePrice(priceMicros))}`);
    await expect(row('Refund')).toContainText(money(21_000_000n - charge));
    await expect(row(`Purchase, first 50 MB Proxy ${ip}`)).toContainText(`-${money(priceMicros / 2n)}`);
    await expect(row('Top-up Invoice in BTC')).toContainText('+$20.00');
    await expect(row('Trial credit Promo code WELCOME')).toContainText('+$1.00');
    const csv = await download(page, () => page.getByRole('button', { name: 'Download CSV' }).click());
    const amounts = csv
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[2]!);
    expect(amounts).toHaveLength(4);
    expect(amounts.reduce((sum, amount) => sum + toMicros(Number(amount)), 0n)).toBe(await balanceMicros());
  });

  await test.step('the ended proxy lets nothing through any more', async () => {
    await expect(runCurl(curl)).rejects.toThrow();
  });
});
