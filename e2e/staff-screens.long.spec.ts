import { createInvoice } from '@cellhop/contract/invoices';
import type { AuditEntry } from '@cellhop/contract/staff/audit-log';
import type { ExitDay } from '@cellhop/contract/staff/exit-checks';
import type { Attention } from '@cellhop/contract/staff/dashboard';
import type { SuspendedPayment, StaffInvoiceDetail } from '@cellhop/contract/staff/invoices';
import type { RelatedUser } from '@cellhop/contract/staff/users';
import { getProfile } from '@cellhop/contract/users';
import { exampleDeposit } from '../web/test/example-invoices.ts';
import { staffStates } from './gallery-staff.ts';
import { menuPaths } from './menu.ts';
import { buyProxy, clientAs, createCustomer, enter, expect, PASSWORD, test } from './product.ts';
import { expectGood, inspect, looks, prefer } from './screen-checks.ts';

for (const [language, theme] of looks)
  test(`screens of staff are accessible and fit, ${language}, ${theme}`, async ({ page }) => {
    await prefer(page, language, theme);
    await enter(page, '/admin', 'admin@example.com', 'demo-password');
    for (const path of [...(await menuPaths(page, 'staff')), ...staffStates.map((state) => state.path)])
      await inspect(page, path);
  });

test('the deposits of an invoice are accessible and fit', async ({ page, product }) => {
  const email = 'paid-again@example.com';
  await createCustomer(page, email);
  const customer = await clientAs(email, product.url, PASSWORD);
  await customer(createInvoice, { body: { currency: 'BTC', amount: 25 } });
  const { id } = (await customer(getProfile, {})).data;
  // No payment of the sandbox waits long enough, and none is replaced.
  await page.route(/\/v1\/payments\/admin\/invoices\/[0-9a-f-]{36}$/, async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: StaffInvoiceDetail };
    const deposits = [
      exampleDeposit(1, { state: 'SEEN', isReplaceable: true, isAddressReuse: true }),
      exampleDeposit(2, { state: 'REPLACED' }),
    ];
    await route.fulfill({ response, json: { data: { ...data, deposits } } });
  });
  await enter(page, `/admin/payment/invoices?userId=${id}`, 'admin@example.com', 'demo-password');
  await page.getByRole('button', { name: /^Details of the \$25\.00 invoice/ }).click();
  const list = page.getByRole('dialog').getByRole('list', { name: 'Received payments' });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expectGood(page, 'deposits');
});

test('what needs attention is accessible and fits', async ({ page }) => {
  const waitingSince = new Date(Date.now() - 26 * 3_600_000).toISOString();
  const oldest = {
    id: '00000000-0000-4000-8000-00000000e004',
    name: 'Wie-man-sieht-sind-Woerter-manchmal-lang',
    waitingSince,
  };
  const data: Attention = {
    approvals: { waiting: 2, list: 'ADJUSTMENT' },
    tickets: { waiting: 100, oldest },
    heldPayments: 1,
    unhealthyProxies: 12_345,
    proxiesElsewhere: 12_345,
    silentNodes: 1,
    failingNodes: ['a-gateway-with-a-long-name-in-a-farm'],
    troubledChains: ['bitcoin'],
    failedJobs: 100,
    mails: { lateSince: '2026-11-21T11:00:00.000Z' },
    machine: null,
    restore: { isOpen: true, movedAt: null },
    moneyCheck: { isBroken: true, violationCount: 3 },
  };
  for (const [language, theme] of looks) {
    const again = await page.context().newPage();
    await again.route('**/v1/dashboard/admin/attention', (route) => route.fulfill({ json: { data } }));
    await prefer(again, language, theme);
    await enter(again, '/admin', 'admin@example.com', 'demo-password');
    await expect(again.locator('main section').first().getByRole('listitem')).toHaveCount(12);
    await expectGood(again, `attention, ${language}, ${theme}`);
    await again.close();
  }
});

test('the checks of an exit by day are accessible and fit', async ({ page }) => {
  const days: ExitDay[] = Array.from({ length: 30 }, (_, index) => ({
    day: `2026-11-${String(30 - index).padStart(2, '0')}`,
    checks: 1_440,
    failed: index,
    latencyMs: index === 2 ? null : 1_284,
    bytesPerSecond: index === 1 ? null : 12_345_678,
    outages: index,
    lastFailure: index === 0 ? null : { at: '2026-11-20T10:00:00.000Z', reason: 'upstream-refused:403' },
  }));
  await page.route('**/v1/proxies/admin/exits/*/days', (route) => route.fulfill({ json: { data: days } }));
  await enter(page, '/admin/proxies', 'admin@example.com', 'demo-password');
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Checks by day' }).click();
  await expect(page.getByRole('dialog').getByText('29.11.2026')).toBeVisible();
  await expectGood(page, 'checks by day');
});

test('payments on hold and their release are accessible and fit', async ({ page }) => {
  // USDT of the sandbox is always worth one dollar.
  const held: SuspendedPayment = {
    id: '00000000-0000-4000-8000-00000000e002',
    currency: 'USDT_ERC20',
    amountInCurrency: '2000.00',
    hold: 'DEPEG',
    transactionId: 'ab'.repeat(32),
    invoiceId: null,
    user: { id: '00000000-0000-4000-8000-00000000c001', email: 'a.customer.with.a.long.address@mail.example.com' },
    arrivedAt: '2026-11-22T12:00:00.000Z',
    marketRate: '0.80',
    marketValue: 1600,
    parValue: 2000,
  };
  const large: SuspendedPayment = {
    ...held,
    id: '00000000-0000-4000-8000-00000000e003',
    hold: 'LARGE',
    marketRate: null,
  };
  const json = { data: [held, { ...large, marketValue: null, parValue: null }], totalPages: 1, isTruncated: false };
  await page.route('**/v1/payments/admin/held?*', (route) => route.fulfill({ json }));
  await enter(page, '/admin/payment/invoices', 'admin@example.com', 'demo-password');
  await page.getByRole('complementary', { name: 'Payments on hold' }).getByRole('button', { name: 'Show' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('listitem')).toHaveCount(2);
  await expectGood(page, 'payments on hold');
  await dialog.getByRole('button', { name: /^Release/ }).click();
  await dialog.getByRole('radio', { name: /^One dollar for each/ }).check();
  await expectGood(page, 'release');
});

test('entries of the audit log with long values are accessible and fit', async ({ page }) => {
  const person = {
    id: '00000000-0000-4000-8000-00000000c001',
    email: 'a.customer.with.a.long.address@mail.example.com',
  };
  const entry: AuditEntry = {
    id: '1',
    createdAt: '2026-11-22T12:00:00.000Z',
    action: 'CATALOGUE_FILE_CHECKED',
    actor: person,
    user: null,
    subject: { type: 'PROXY', id: null },
    ip: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    device: 'Firefox on Windows',
    requestId: '00000000-0000-4000-8000-00000000e002',
    reason: 'x'.repeat(200),
    before: null,
    after: { name: 'y'.repeat(100) },
    details: { sha256: 'ab'.repeat(32), fileName: 'stock.csv' },
  };
  const refund: AuditEntry = { ...entry, id: '2', action: 'CONNECTION_REFUNDED', user: person };
  const json = { data: [entry, refund], totalPages: 1, isTruncated: false };
  await page.route('**/v1/audit-log/admin?*', (route) => route.fulfill({ json }));
  await enter(page, '/admin/audit-log', 'admin@example.com', 'demo-password');
  await page.getByText('Details').first().click();
  await expect(page.getByText(entry.details['sha256'] as string).first()).toBeVisible();
  await expectGood(page, 'audit log');
});

test('the limits of a proxy are accessible and fit', async ({ page }) => {
  await enter(page, '/admin/proxies', 'admin@example.com', 'demo-password');
  await page
    .getByRole('button', { name: /^Actions for / })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Limits' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Ports of destinations' }).fill('25');
  await expect(page.getByText('Begin with allow or deny')).toBeVisible();
  await expectGood(page, 'limits');
});

test('the errors of an import and of a filter are accessible and fit', async ({ page }) => {
  await enter(page, '/admin/proxies', 'admin@example.com', 'demo-password');
  await page.getByLabel('Countries (codes)').fill('DE, UK, EU');
  await page.getByLabel('Countries (codes)').press('Enter');
  await expect(page.getByText('Not a country code: UK, EU')).toBeVisible();
  await page.getByLabel('Countries (codes)').fill('DE, GB');
  await expect(page.getByText('Germany, United Kingdom')).toBeVisible();
  await page.getByRole('button', { name: 'Import' }).click();
  const content = `ip;price;countryCode;region;city;zip;isp;connectionType;node;exitKind;exit;x;y
;;;;;;;;;;;;`;
  await page
    .getByLabel('File')
    .setInputFiles({ name: 'stock.txt', mimeType: 'text/plain', buffer: Buffer.from(content) });
  await page.getByRole('button', { name: 'Check the file' }).click();
  await expect(page.getByText('2 errors. Nothing was imported.')).toBeVisible();
  await expectGood(page, 'errors of an import');
});

const related = (number: number, relation: RelatedUser['relation']): RelatedUser => ({
  id: `00000000-0000-4000-8000-00000000f00${number}`,
  email: `related.customer.with.a.long.address+${number}@mail.example.com`,
  isConfirmedEmail: true,
  status: number === 3 ? 'BLOCKED' : 'ACTIVE',
  balance: number * 1234.5,
  referralLevel: 'BASIC',
  role: { name: 'USER' },
  languageCode: 'en',
  referralCode: `RELATED${number}`,
  createdAt: '2026-11-22T12:00:00.000Z',
  relation,
});

test('the page of a user with related accounts and a selection is accessible and fits', async ({ page }) => {
  const data = [related(1, 'SAME_PERSON'), related(2, 'SAME_NETWORK_AND_DEVICE'), related(3, 'SAME_NETWORK')];
  await page.route('**/v1/users/admin/*/related', (route) => route.fulfill({ json: { data, isTruncated: true } }));
  await enter(page, '/admin/users?email=user%40example.com', 'admin@example.com', 'demo-password');
  await page.getByRole('checkbox', { name: 'Select user@example.com' }).check();
  await expectGood(page, 'a selection of users');
  await page.getByRole('main').getByRole('link', { name: 'user@example.com' }).first().click();
  await expect(page.getByRole('main').getByRole('heading', { name: 'user@example.com' })).toBeVisible();
  await expectGood(page, 'the page of a user');
  await page.getByRole('link', { name: /^Related/ }).click();
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(1);
  await expectGood(page, 'related accounts');
  await page.getByRole('button', { name: 'Block selected' }).click();
  await expect(page.getByRole('dialog', { name: 'Block 1 user?' })).toBeVisible();
  await expectGood(page, 'blocking several users');
});

test('the panel of a connection and a selection of connections are accessible and fit', async ({ page, product }) => {
  const email = 'panel@example.com';
  await createCustomer(page, email);
  const { id, ip } = await buyProxy(await clientAs(email, product.url, PASSWORD));
  await enter(page, `/admin/connections?id=${id}`, 'admin@example.com', 'demo-password');
  await page.getByRole('checkbox', { name: `Select ${ip}` }).check();
  await expectGood(page, 'a selection of connections');
  await page.getByRole('button', { name: `Details of ${ip}` }).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Refund' }).click();
  await expect(panel.getByRole('heading', { name: 'Charges' })).toBeVisible();
  await expectGood(page, 'the panel of a connection');
});
