/** Sign-up, purchase, invoice, ticket and sign-out in the engines that the end-to-end tests do not use, on a phone and a desktop. */
import { mailboxSchema } from '@cellhop/contract/development';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product } from '../../../tools/product.mjs';
import common from '../../src/i18n/locales/en/common.json' with { type: 'json' };
import commonInRussian from '../../src/i18n/locales/ru/common.json' with { type: 'json' };
import proxy from '../../src/i18n/locales/en/proxy.json' with { type: 'json' };
import proxyInRussian from '../../src/i18n/locales/ru/proxy.json' with { type: 'json' };
import { type Browser, engines } from './browsers.ts';
import { startForBrowsers } from './product-for-browsers.ts';
import { createSteps, element } from './steps.ts';

const PICTURES = fileURLToPath(new URL('../../../.data/test-results/engines', import.meta.url));
const PASSWORD = 'a long enough password';
const STEP_MS = 30_000;
const WALK_MS = 240_000;

const texts = {
  en: { common, proxy },
  ru: { common: commonInRussian, proxy: proxyInRussian },
} as const;
type Language = keyof typeof texts;

let product: Product;
let stop: () => Promise<void>;
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  ({ product, stop } = await startForBrowsers(path.join(PICTURES, 'product.log')));
});
afterAll(() => stop?.());

const withText = (selector: string, text: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.textContent.trim().startsWith(${JSON.stringify(text)}))`;

/** Takes a picture of the step, and measures whether the page scrolls sideways. */
async function look(browser: Browser, name: string): Promise<void> {
  const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  await expect.poll(() => browser.evaluate(excess), { timeout: STEP_MS, message: name }).toBe(0);
  // For people alone: Firefox takes none while it draws the page anew.
  const picture = await browser.takePicture().catch(() => undefined);
  if (picture) writeFileSync(path.join(PICTURES, `${name}.png`), picture);
}

async function findLink(email: string): Promise<string> {
  let link: string | undefined;
  const find = async () => {
    const response = await fetch(`${product.url}/dev/mailbox`, { headers: { accept: 'application/json' } });
    link = mailboxSchema.parse(await response.json()).find(({ to }) => to === email)?.links[0];
    return link;
  };
  await expect.poll(find, { timeout: STEP_MS }).toBeDefined();
  return new URL(link!).pathname + new URL(link!).search;
}

async function walk(browser: Browser, name: string, language: Language): Promise<void> {
  const { forget, open, until, click, fill } = createSteps(browser, product.url);
  const { common: words, proxy: offer } = texts[language];
  const email = `${name}@example.com`;
  // A walk before this one may have failed while it was signed in.
  await forget();
  await open('/');
  // The present language may be no link.
  await browser.evaluate(`(document.querySelector('header a[hreflang=${language}]')?.click(), true)`);
  await until(`document.documentElement.lang === ${JSON.stringify(language)}`);
  await look(browser, `${name}-landing`);

  await open('/sign-up?rc=WELCOME');
  for (const [field, value] of Object.entries({ email, password: PASSWORD, confirmPassword: PASSWORD }))
    await fill(field, value);
  await look(browser, `${name}-sign-up`);
  await click(element('main button[type=submit]'));
  await open(await findLink(email));
  // The page of the link may ask for a click.
  await browser.evaluate(`(document.querySelector('main form button, form button')?.click(), true)`);
  // It signs in, because the sign-up was in this browser.
  await until(`location.pathname === '/proxies'`);
  await look(browser, `${name}-confirmed`);

  await click(withText('main button', offer.table.buy));
  await click(withText('[role=dialog] button', offer.detail.buyFor.split('{{', 1)[0]!));
  await until(element('[role=dialog] a[href="/connection-history"]'));
  await look(browser, `${name}-purchase`);
  await open('/connection-history');
  await until(element('main button'));
  await look(browser, `${name}-connections`);

  await open('/payments/invoices?create=true');
  await fill('amount', '25');
  await click(element('[role=dialog] [role=combobox], [role=dialog] input[name=currency]'));
  await click(element('[role=option]'));
  await look(browser, `${name}-new-invoice`);
  await click(element('[role=dialog] button[type=submit]'));
  await until(`location.search.includes('invoice=')`);
  await look(browser, `${name}-invoice`);

  await open('/support/tickets?create=true');
  await fill('name', 'It works in this browser');
  await fill('description', 'A question with some words.');
  await click(element('[role=dialog] button[type=submit]'));
  await until(`/^\\/support\\/tickets\\/./.test(location.pathname)`);
  await look(browser, `${name}-ticket`);

  await click(`[...document.querySelectorAll('header button[aria-haspopup]')].at(-1)`);
  await click(withText('[role=menuitem]', words.logOut));
  await until(`location.pathname === '/sign-in'`);
  await look(browser, `${name}-signed-out`);

  await fill('email', email);
  await fill('password', PASSWORD);
  await look(browser, `${name}-sign-in`);
  await click(element('main button[type=submit]'));
  await until(`location.pathname === '/proxies'`);
}

describe.each(engines)('%s', (engine, openBrowser) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it.each([
    [390, 'en'],
    [390, 'ru'],
    [1440, 'en'],
    [1440, 'ru'],
  ] as const)(
    'a customer signs up, buys, pays, asks and signs out at %s px in %s',
    async (width, language) => {
      await browser.resize(width);
      await walk(browser, `${engine}-${width}-${language}`, language);
      expect(await browser.errors()).toEqual([]);
    },
    WALK_MS,
  );
});
