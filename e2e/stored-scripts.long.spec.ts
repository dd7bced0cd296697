import { legalDocuments } from '@cellhop/contract/legal-documents';
import type { Browser, Locator, Page } from '@playwright/test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startProduct } from '../tools/product.mjs';
import { cloneDatabase } from '../tools/test-database.mjs';
import { staffStates } from './gallery-staff.ts';
import { fillTables, HOSTILE, makeTextsHostile } from './hostile-texts.ts';
import { menuPaths } from './menu.ts';
import { accessToken, clientAs, enter, expect, test as base } from './product.ts';
import { memberPages, prefer, publicPages, visit } from './screen-checks.ts';

/** A product of its own, because every text of its database changes. */
const test = base.extend({
  database: async ({}, use) => {
    const database = await cloneDatabase(process.env['E2E_DATABASE_URL']!);
    await use(database);
    await database.drop();
  },
  product: async ({ database }, use) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'legal-texts-'));
    for (const document of legalDocuments)
      fs.writeFileSync(path.join(folder, `${document}.en.txt`), `# ${HOSTILE}\n\n${HOSTILE}`);
    const product = await startProduct({
      databaseUrl: database.url,
      logFile: '.data/test-results/product-hostile.log',
      env: { GATEWAY_ALLOW_PRIVATE: 'true', LEGAL_TEXTS_FOLDER: folder, DATABASE_POOL_TIMEOUT_SECONDS: '60' },
    });
    await use({ url: product.url });
    await product.stop();
    fs.rmSync(folder, { recursive: true });
  },
});

/** What ran or was stopped: dialogs, violations of the policy, and elements and attributes that only a text can have created. */
class Findings {
  readonly found: string[] = [];

  constructor(readonly page: Page) {}

  static async begin(browser: Browser, baseURL: string): Promise<Findings> {
    const findings = new Findings(await (await browser.newContext({ baseURL })).newPage());
    await findings.#watch();
    return findings;
  }

  async #watch(): Promise<void> {
    const { page } = this;
    const find = (what: string) => void this.found.push(`${page.url()}: ${what}`);
    await prefer(page, 'en', 'DARK');
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => find('dialog')));
    page.on('response', (response) => response.status() >= 500 && find(`${response.status()} ${response.url()}`));
    await page.exposeFunction('reportViolation', find);
    await page.addInitScript(() =>
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        (window as unknown as { reportViolation: (text: string) => void }).reportViolation(
          `${effectiveDirective} ${blockedURI}`,
        ),
      ),
    );
  }

  /** @param isShowing the page shows a hostile text: one that shows none proves nothing */
  async look(where: string, isShowing: boolean): Promise<void> {
    // Rows come some renders after the answer.
    if (isShowing) await expect.poll(() => this.#isShown(), where).toBe(true);
    const strange = await this.page.evaluate(() => {
      const created = '[onerror], [onload], [src=""], iframe, object, embed, [href^="javascript:" i]';
      return [...document.querySelectorAll(created)].map(({ outerHTML }) => outerHTML.slice(0, 200));
    });
    this.found.push(...strange.map((html) => `${where}: ${html}`));
  }

  #isShown(): Promise<boolean> {
    return this.page.evaluate(() => {
      const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
      const texts = [document.body.innerText, ...[...fields].map(({ value }) => value)].join(' ');
      return /onerror=alert\(1\)/i.test(texts);
    });
  }

  async walk(paths: readonly string[]): Promise<void> {
    for (const each of paths) {
      await visit(this.page, each);
      await this.look(each, showing.has(each));
    }
  }

  /** Looks at what a click opens. */
  async open(where: string, path: string, click: (main: Locator) => Promise<unknown>): Promise<void> {
    await visit(this.page, path);
    await click(this.page.getByRole('main'));
    await this.page.waitForLoadState('networkidle');
    await this.look(where, true);
  }

  /** So that the pages above would have shown it. @returns whether a script of each kind ran */
  async runScripts(): Promise<boolean> {
    return this.page.evaluate(async () => {
      const holder = document.createElement('div');
      document.body.append(holder);
      holder.innerHTML = '<img src="" onerror="window.hasRun = true"><a href="javascript:window.hasRun = true">go</a>';
      holder.querySelector('a')!.click();
      const script = document.createElement('script');
      script.textContent = 'window.hasRun = true';
      holder.append(script);
      await new Promise((resolve) => setTimeout(resolve, 500));
      holder.remove();
      return 'hasRun' in window;
    });
  }
}

/** Paths and parameters that somebody else may have written. */
const reflected = [
  `/public-message?message=${encodeURIComponent(HOSTILE)}`,
  `/sign-up?rc=${encodeURIComponent(HOSTILE)}`,
  `/restore-access?code=${encodeURIComponent(HOSTILE)}`,
  `/locations/${encodeURIComponent(HOSTILE)}`,
  `/legal/${encodeURIComponent(HOSTILE)}`,
];
/** Pages with rows or fields of the demo's accounts. */
const showing = new Set([
  '/legal/terms',
  '/locations/de',
  '/proxies',
  '/connection-history',
  '/payments/invoices',
  '/faq',
  '/support/tickets',
  '/referral-system',
  '/account',
  '/account#security',
  '/admin/users',
  '/admin/connections',
  '/admin/payment/invoices',
  '/admin/referral-system/codes',
  '/admin/faq',
  '/admin/broadcasts',
  '/admin/approvals',
  '/admin/proxies',
  '/admin/nodes',
  '/admin/tickets/replies',
  reflected[0]!,
]);
/** Of links to the sign-in page, which a signed-in user leaves at once. */
const elsewhere = [
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',

  'https:evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  '%2f%2fevil.example',
  '/%2f%2fevil.example',
  '/%5cevil.example',
  '/proxies#//evil.example',
  'https://localhost@evil.example/',
];

test('no text that a person stores runs as a script on a page of visitors, customers or staff', async ({
  browser,
  product,
  database,
}) => {
  test.setTimeout(900_000);
  const begin = () => Findings.begin(browser, product.url);
  const [visitor, customer, staff] = [await begin(), await begin(), await begin()];
  await fillTables(await clientAs('user@example.com', product.url), await clientAs('admin@example.com', product.url));
  await enter(customer.page, '/proxies', 'user@example.com', 'demo-password');
  await enter(staff.page, '/admin', 'admin@example.com', 'demo-password');
  const customerPaths = await menuPaths(customer.page, 'customers');
  const staffPaths = await menuPaths(staff.page, 'staff');
  expect(await makeTextsHostile(database.url)).toEqual([
    'faqs.language_code',
    'invoices.status',
    'promo_codes.status',
    'proxies.country_code',
    'staff_requests.kind',
    'staff_requests.status',
    'tickets.status',
    'users.language_code',
    'users.status',
  ]);

  await test.step('visitors', () => visitor.walk([...publicPages, ...reflected]));
  await test.step('customers', () => walkAsCustomer(customer, product.url, [...customerPaths, ...memberPages]));
  await test.step('staff', () => walkAsStaff(staff, [...staffPaths, ...staffStates.map((state) => state.path)]));
  expect([...visitor.found, ...customer.found, ...staff.found]).toEqual([]);
  for (const each of [visitor, customer, staff]) {
    await visit(each.page, '/legal/terms');
    expect(await each.runScripts()).toBe(false);
    await expect.poll(() => each.found.length).toBe(3);
  }
});

async function walkAsCustomer(customer: Findings, origin: string, paths: readonly string[]): Promise<void> {
  await customer.walk(paths);
  await customer.open('a connection', '/connection-history', (main) =>
    main
      .getByRole('button', { name: /^Details of/ })
      .first()
      .click(),
  );
  await customer.open('a ticket', '/support/tickets', (main) =>
    main.locator('a[href^="/support/tickets/"]').first().click(),
  );
  await customer.open('notifications', '/faq', () =>
    customer.page.getByRole('button', { name: /^Notifications/ }).click(),
  );
  for (const next of elsewhere) {
    await customer.page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await expect(customer.page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(new URL(customer.page.url()).origin, next).toBe(origin);
  }
}

async function walkAsStaff(staff: Findings, paths: readonly string[]): Promise<void> {
  const { id: userId } = await ownProfile(staff.page);
  const filters = [{ userId, list: 'users', name: HOSTILE, search: {} }];
  await staff.page.evaluate((text) => localStorage.setItem('staffFilters', text), JSON.stringify(filters));
  await staff.walk(paths);
  await staff.open('a connection', '/admin/connections', (main) =>
    main
      .getByRole('button', { name: /^Details of/ })
      .first()
      .click(),
  );
  await staff.open('a user', '/admin/users', (main) => main.locator('a[href^="/admin/users/"]').first().click());
  const userPath = new URL(staff.page.url()).pathname;
  for (const tab of ['related', 'mails']) await staff.walk([`${userPath}?tab=${tab}`]);
  await staff.open('a ticket', '/admin/tickets?view=all', (main) =>
    main.locator('a[href^="/admin/tickets/"]:not([href$="/replies"])').first().click(),
  );
  await staff.open('an entry of the audit log', '/admin/audit-log', (main) =>
    main.getByText('Details').first().click(),
  );
  await staff.open('the search', '/admin', async () => {
    await staff.page.keyboard.press('Control+k');
    await staff.page.getByRole('dialog').getByRole('searchbox').fill('javascript:');
    await expect(staff.page.getByRole('dialog').getByRole('link').first()).toBeVisible();
  });
  await importFile(staff);
}

async function ownProfile(page: Page): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${await accessToken(page)}` };
  return ((await (await page.request.get('/v1/profile', { headers })).json()) as { data: { id: string } }).data;
}

/** A file with hostile names, once with an error and once into the catalogue. */
async function importFile(staff: Findings): Promise<void> {
  const { page } = staff;
  const cell = `"${HOSTILE.replaceAll('"', '""')}"`;
  const fileOf = (price: string) => ({
    name: `${HOSTILE.replaceAll('/', '')}.csv`,
    mimeType: 'text/csv',
    buffer: Buffer.from(
      `ip,price,countryCode,region,city,zip,isp,connectionType,node,exitKind,exit\n203.0.113.1,${price},PT,${cell},${cell},1,${cell},LTE,${cell},local-address,`,
    ),
  });
  await staff.open('an import', '/admin/proxies', async (main) => {
    await main.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByLabel('File')
      .setInputFiles(fileOf(HOSTILE.replaceAll('"', '')));
    await page.getByRole('button', { name: 'Check the file' }).click();
    await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
  });
}
