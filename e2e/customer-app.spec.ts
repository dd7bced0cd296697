/** How customers filter and pay; and links to objects that do not exist. */
import { connect } from '@cellhop/contract/connections';
import { createInvoice, listInvoices } from '@cellhop/contract/invoices';
import { getProxyFacets, searchProxies } from '@cellhop/contract/proxies';
import { toDollars, toMicros } from '@cellhop/contract/units';
import type { Page } from '@playwright/test';
import { callAs, createCustomer, enter, expect, openLink, readMail, setPrice, test } from './product.ts';

const rowsOf = (page: Page) => page.getByRole('region', { name: 'Available proxies' }).getByRole('row');
const balanceOf = (page: Page) => page.getByRole('link', { name: /^Balance / });
const invoiceDialog = (page: Page) => page.getByRole('dialog', { name: 'New invoice' });

test('each filter of the catalogue offers values that match the other filters, with counts; a choice without matches shows 0', async ({
  page,
  product,
}) => {
  await createCustomer(page, 'narrows-down@example.com');
  await enter(page, '/proxies', 'narrows-down@example.com');
  const filter = page.getByRole('form', { name: 'Filter' });
  const field = (name: string) => filter.getByRole('combobox', { name, exact: true });
  const choose = async (name: string, option: string | RegExp) => {
    await field(name).click();
    await page.getByRole('listbox').getByRole('option', { name: option }).click();
    await field(name).press('Escape');
  };
  const { data } = await callAs(page, product.url)(getProxyFacets, { query: { country: ['DE'] } });
  const cities = Object.entries(data.counts.city).sort(([one], [other]) => one.localeCompare(other));
  const [[city] = ['']] = cities;

  await choose('Country', /^Germany/);
  await field('City').click();
  const options = page.getByRole('listbox').getByRole('option');
  await expect(options).toHaveCount(cities.length);
  await expect(options).toHaveText(cities.map(([name, count]) => `${name}${count}`));
  await options.first().click();
  await field('City').press('Escape');

  await field('Country').click();
  await expect(options).toHaveText([/^Germany/]);
  await field('Country').press('Escape');
  await filter.getByRole('button', { name: 'Find' }).click();
  await expect(rowsOf(page)).toHaveCount(1 + data.counts.city[city]!);

  await page.goto(`/proxies?country=FR&city=${city}`);
  await expect(filter.getByText(`${city} (0)`)).toBeVisible();
  await expect(page.getByText('No available proxies match these filters', { exact: false })).toBeVisible();
  await filter.getByRole('button', { name: 'Reset' }).click();
  await expect(rowsOf(page)).toHaveCount(51);
});

test('after a price change the dialog stays open with the new price, and the next click buys at it', async ({
  page,
  product,
  database,
}) => {
  await createCustomer(page, 'sees-prices@example.com');
  await enter(page, '/proxies', 'sees-prices@example.com');
  const [proxy] = (await callAs(page, product.url)(searchProxies, { query: {} })).data;
  await page.getByRole('button', { name: `Buy ${proxy!.ip}`, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Proxy ${proxy!.ip}` });
  const buy = dialog.getByRole('button', { name: /^Buy for/ });
  await expect(buy).toBeVisible();
  const price = toDollars(toMicros(proxy!.price) + 20_000n);
  await setPrice(database, proxy!.id, price);
  await buy.click();
  await expect(dialog.getByRole('alert')).toContainText('The price has changed');
  await expect(buy).toHaveText(`Buy for $${(price / 2).toFixed(2)}`);
  await buy.click();
  await expect(dialog.getByText('The proxy is yours.', { exact: false })).toBeVisible();
});

test('without money, toast, dialog and balance link to the form for a new invoice', async ({ page, product }) => {
  await createCustomer(page, 'spent-it-all@example.com');
  await enter(page, '/proxies', 'spent-it-all@example.com');
  const call = callAs(page, product.url);
  const { data } = await call(searchProxies, { query: {} });
  let balance = 1;
  for (const { id, price } of data) {
    if (price / 2 > balance) break;
    balance = (await call(connect, { body: { id, price } })).data.currentBalance ?? 0;
  }
  await balanceOf(page).click();
  await expect(invoiceDialog(page)).toBeVisible();
  const ways = [
    () => page.getByRole('dialog').getByRole('link', { name: 'Top up the balance' }),
    () => page.locator('section[aria-live="polite"]').getByRole('link', { name: 'Top up' }),
  ];
  for (const way of ways) {
    await page.goto('/proxies');
    await page
      .getByRole('button', { name: /^Buy 198\.18\./ })
      .last()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Buy for/ })
      .click();
    await way().click();
    await expect(page).toHaveURL(/\/payments\/invoices\?create=true$/);
    await expect(invoiceDialog(page)).toBeVisible();
  }
});

test('a link to an unknown invoice or connection shows a warning; a link to an invoice of another page opens it', async ({
  page,
  product,
}) => {
  await createCustomer(page, 'old-links@example.com');
  await enter(page, '/payments/invoices', 'old-links@example.com');
  const call = callAs(page, product.url);
  const { data: oldest } = await call(createInvoice, { body: { currency: 'BTC', amount: 5 } });
  const { data: newest } = await call(createInvoice, { body: { currency: 'ETH', amount: 6 } });
  // Simulates a list with one row per page.
  await page.route('**/v1/payments/invoices?page=*', async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('size', '1');
    await route.continue({ url: url.href });
  });
  await page.goto(`/payments/invoices?invoice=${oldest.id}`);
  await expect(page.getByRole('dialog').getByText(oldest.address)).toBeVisible();
  expect((await call(listInvoices, { query: { size: 1 } })).data.map(({ id }) => id)).toEqual([newest.id]);
  const unknown = '00000000-0000-4000-8000-000000000000';
  await page.goto(`/payments/invoices?invoice=${unknown}`);
  await expect(page.getByText('Invoice not found')).toBeVisible();
  await expect(page).toHaveURL(/\/payments\/invoices$/);
  await page.goto(`/connection-history?connection=${unknown}`);
  await expect(page.getByText('There is no such connection in your history')).toBeVisible();
});

test('mails about ended connections can be switched off separately', async ({ page }) => {
  await createCustomer(page, 'less-mail@example.com');
  await enter(page, '/account', 'less-mail@example.com');
  const box = (name: string) => page.getByRole('checkbox', { name });
  await expect(box('there was no traffic')).toBeChecked();
  await box('there was no traffic').uncheck();
  await page.getByRole('button', { name: 'Save alerts' }).click();
  await expect(page.getByText('Alerts saved')).toBeVisible();
  await page.reload();
  await expect(box('there was no traffic')).not.toBeChecked();
  for (const name of ['the balance has run out', 'the proxy went offline', 'Also send alerts by email'])
    await expect(box(name)).toBeChecked();
});

test('each password form names the account for password managers', async ({ page }) => {
  const email = 'forgets+often@example.com';
  await createCustomer(page, email);
  await page.goto('/sign-in');
  await expect(page.getByLabel('Email')).toHaveAttribute('autocomplete', 'username');
  expect((await page.request.post('/v1/auth/recovery-password', { data: { email } })).ok()).toBe(true);
  await expect.poll(async () => (await readMail(page, email)).links[0]).toContain('set-password');
  const { pathname, search, hash } = new URL((await readMail(page, email)).links[0]!);
  await page.goto(pathname + search + hash);
  const username = page.locator('input[autocomplete="username"]');
  await expect(username).toHaveValue(email);
  await expect(username).toBeHidden();
  // A link that lost its fragment, as in some mail programs, has no email.
  await page.goto('/');
  await page.goto(pathname + search);
  await expect(page.getByLabel('Confirm password')).toBeVisible();
  await expect(username).toHaveCount(0);
  await enter(page, '/account', email);
  await expect(username).toHaveValue(email);
});

test('a confirmed email leads to sign-in, and the trial credit is announced', async ({ page }) => {
  const email = 'freshly-confirmed@example.com';
  const body = { languageCode: 'en', email, password: 'a long enough password', referralCode: 'WELCOME' };
  expect((await page.request.post('/v1/auth/sign-up', { data: body })).status()).toBe(201);
  await openLink(page, email);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await enter(page, '/proxies', email);
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
  await expect(page.getByText('Your trial credit of $1.00 is on your balance.', { exact: false })).toBeVisible();
});

test('link previews and the installed app show the address and the brand', async ({ page }) => {
  const html = await (await page.request.get('/')).text();
  expect(html).toMatch(/<meta property="og:image" content="http:\/\/[\w.:]+\/social-image\.png"/);
  const manifest = (await (await page.request.get('/manifest.webmanifest')).json()) as { name: string };
  expect(manifest.name).toBe('Cellhop');
});
