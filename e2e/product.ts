import { test as base, expect, type Page } from '@playwright/test';
import { mailboxSchema, type Mail } from '@cellhop/contract/development';
import { startProduct, type Product } from '../tools/product.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';

/** The whole product as a newcomer gets it, on a database of its own: api, worker and gateway as child processes. */
export const test = base.extend<{ baseURL: string }, { product: Product }>({
  product: [
    async ({}, use) => {
      const database = await cloneDatabase(process.env['POSTGRES_URL']!);
      const product = await startProduct({
        databaseUrl: database.url,
        logFile: '.data/test-results/product.log',
        env: { GATEWAY_ALLOW_PRIVATE: 'true' },
      });
      await use(product);
      await product.stop();
      await database.drop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ product }, use) => use(product.url),
});

export { expect };

/** The newest mail to an address, once it has arrived. */
export async function readMail(page: Page, to: string): Promise<Mail> {
  let mail: Mail | undefined;
  await expect
    .poll(async () => {
      const response = await page.request.get('/dev/mailbox', { headers: { accept: 'application/json' } });
      mail = mailboxSchema.parse(await response.json()).find((each) => each.to.includes(to));
      return mail;
    })
    .toBeDefined();
  return mail!;
}

/** A confirmed customer with the promo code's trial credit, made without the browser. */
export async function createCustomer(page: Page, email: string, password: string): Promise<void> {
  const body = { languageCode: 'en', email, password, referralCode: 'WELCOME' };
  expect((await page.request.post('/v1/auth/sign-up', { data: body })).status()).toBe(201);
  const mail = await readMail(page, email);
  const { pathname, search } = new URL(mail.links[0]!);
  await page.request.get(pathname + search);
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/proxies$/);
}

/** The access token of the page's session, for looking at exact numbers behind what is shown. */
export async function accessToken(page: Page): Promise<string> {
  const texts = await page.evaluate(() => Object.values(localStorage));
  const token = texts.map((text) => /"accessToken":"([^"]+)"/.exec(text)?.[1]).find((found) => found !== undefined);
  expect(token).toBeDefined();
  return token!;
}
