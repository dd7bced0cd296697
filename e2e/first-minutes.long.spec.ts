/**
 * How long the first minutes are: the taps of a new customer on a phone with a slow network, and the clicks of staff. Taps and clicks
 * are limits; the seconds are printed, because they depend on the machine (docs/web.md has those of an idle one).
 */
import { getAttention } from '@cellhop/contract/staff/dashboard';
import { createTicket, listTicketMessages } from '@cellhop/contract/tickets';
import { type Locator, type Page } from '@playwright/test';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buyProxy, clientAs, createCustomer, enter, expect, PASSWORD, readMail, test, toPath } from './product.ts';

const run = promisify(execFile);

/** The preset "Slow 4G" of Chromium's developer tools, in milliseconds and bytes per second. */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 184_320, uploadThroughput: 86_400 };
/** Of somebody who types with two thumbs. */
const MILLISECONDS_PER_CHARACTER = 150;

/** Counts clicks; the mouse of staff. */
function createMouse() {
  let clicks = 0;
  return {
    clicks: () => clicks,
    click: async (target: Locator) => {
      clicks++;
      await target.click();
    },
  };
}

/** Counts what the finger does. Moving on with the key of the keyboard on the screen is part of typing. */
function createFinger(page: Page) {
  let taps = 0;
  return {
    taps: () => taps,
    tap: async (target: Locator) => {
      taps++;
      await target.tap();
    },
    type: (text: string) => page.keyboard.type(text, { delay: MILLISECONDS_PER_CHARACTER }),
    nextField: (target: Locator) => target.focus(),
  };
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });

  test.describe('with animations', () => {
    test.use({ contextOptions: { reducedMotion: 'no-preference' } });

    test('the list of currencies opens below its field and makes the page no wider, and a top-up is paid by 5 taps', async ({
      page,
    }) => {
      await createCustomer(page, 'pays-on-a-phone@example.com');
      await enter(page, '/proxies', 'pays-on-a-phone@example.com');
      const { tap, taps } = createFinger(page);
      await tap(page.getByRole('link', { name: /^Balance/ }));
      const dialog = page.getByRole('dialog');
      await tap(dialog.getByRole('button', { name: '$10', exact: true }));
      await tap(dialog.getByRole('combobox'));
      await tap(page.getByRole('option', { name: 'Litecoin' }));
      expect(await page.evaluate(() => window.innerWidth)).toBe(390);
      await tap(dialog.getByRole('button', { name: 'Create invoice' }));
      await expect(dialog.getByText(/LTC/).first()).toBeVisible();
      expect(taps()).toBe(5);
    });
  });

  test('a visitor has traffic through their own proxy after 10 taps at most', async ({ page, context, product }) => {
    const email = 'phone@example.com';
    const devTools = await context.newCDPSession(page);
    await devTools.send('Network.enable');
    await devTools.send('Network.emulateNetworkConditions', SLOW_4G);
    const { tap, type, nextField, taps } = createFinger(page);
    const start = performance.now();

    await page.goto('/');
    await tap(page.getByRole('link', { name: 'Start with $1 free' }).first());
    await tap(page.getByLabel('Email'));
    await type(email);
    for (const name of ['Password', 'Confirm password']) {
      await nextField(page.getByLabel(name, { exact: true }));
      await type(PASSWORD);
    }
    await tap(page.getByRole('button', { name: 'Sign up' }));
    const link = toPath(await readMail(page, email));
    await page.setContent(`<a href="${new URL(link, product.url).href}">Confirm</a>`);
    await tap(page.getByRole('link', { name: 'Confirm' }));
    await tap(page.getByRole('button', { name: 'Confirm email' }));
    await tap(page.getByRole('button', { name: /^Buy \d/ }).first());
    await tap(page.getByRole('dialog').getByRole('button', { name: /^Buy for/ }));
    await tap(page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }));
    const address = await page.getByRole('dialog').locator('code').first().innerText();
    const { stdout } = await run('curl', [
      '-sS',
      '-x',
      `socks5h://${address}`,
      `${product.url}/dev/download/1`,
      '-w',
      '%{size_download}',
      '-o',
      '/dev/null',
    ]);

    const seconds = (performance.now() - start) / 1000;
    expect(stdout).toBe('1048576');
    console.log(`From the landing page to traffic on slow 4G: ${taps()} taps, ${seconds.toFixed(1)} s`);
    expect(taps()).toBeLessThanOrEqual(10);
  });
});

test('staff answer the ticket that waits longest, from the dashboard, after 3 clicks', async ({ page, product }) => {
  const email = 'waits-longest@example.com';
  await createCustomer(page, email);
  const customer = await clientAs(email, product.url, PASSWORD);
  const { data: ticket } = await customer(createTicket, { body: { name: 'No signal', description: 'Since noon.' } });
  // Of the product that all tests share, another one may wait longest, and belong to another test.
  await page.route(`**${getAttention.url}`, async (route) => {
    const response = await route.fetch();
    const { data } = getAttention.response.parse(await response.json());
    const oldest = { id: ticket.id, name: ticket.name, waitingSince: ticket.createdAt };
    await route.fulfill({ response, json: { data: { ...data, tickets: { waiting: 1, oldest } } } });
  });
  await enter(page, '/admin', 'support@example.com', 'demo-password');
  const { click, clicks } = createMouse();
  await click(page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: /No signal/ }));
  await click(page.getByLabel('Your reply'));
  await page.keyboard.type('It is back.');
  await click(page.getByRole('main').getByRole('button', { name: 'Send', exact: true }));
  await expect
    .poll(async () => (await customer(listTicketMessages, { params: { id: ticket.id }, query: {} })).data)
    .toContainEqual(expect.objectContaining({ content: 'It is back.' }));
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('staff refund a broken proxy from the list of connections after 3 clicks', async ({ page, product }) => {
  const email = 'broken-proxy@example.com';
  await createCustomer(page, email);
  const customer = await clientAs(email, product.url, PASSWORD);
  const { id, ip } = await buyProxy(customer);
  // Other tests may have had this address before.
  await enter(page, `/admin/connections?id=${id}`, 'admin@example.com', 'demo-password');
  const { click, clicks } = createMouse();
  await click(page.getByRole('button', { name: `Details of ${ip}` }));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Refund', exact: true }));
  await page.keyboard.press('Tab');
  await page.keyboard.type('The proxy passed no traffic');
  await click(page.getByRole('dialog').getByRole('button', { name: /^Refund \$/ }));
  await expect(page.getByText(`The connection to ${ip} was refunded`)).toBeVisible();
  expect(clicks()).toBeLessThanOrEqual(3);
});
