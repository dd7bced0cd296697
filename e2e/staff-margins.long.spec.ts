import type { Margin } from '@cellhop/contract/staff/margins';
import { enter, expect, test } from './product.ts';
import { expectGood, looks, prefer } from './screen-checks.ts';

const GIGABYTE_KIB = 1_048_576;
const margin: Margin = {
  id: '00000000-0000-4000-8000-00000000e001',
  node: 'a-gateway-with-a-long-name-in-a-farm',
  exit: 'socks5://a-modem-with-a-long-name.farm.example.com:18000',
  trafficUsed: 12_345 * GIGABYTE_KIB,
  trafficWithoutCost: 0,
  revenue: 123_456.78,
  cost: 234_567.89,
  margin: -111_111.11,
  marginPercent: -90,
};
const half = 6000 * GIGABYTE_KIB;
const rows: Margin[] = [
  margin,
  { ...margin, id: '00000000-0000-4000-8000-00000000e002', trafficWithoutCost: half },
  { ...margin, id: '00000000-0000-4000-8000-00000000e003', exit: '', trafficWithoutCost: half, cost: null },
];

test('margins are accessible and fit', async ({ page }) => {
  for (const [language, theme] of looks) {
    const again = await page.context().newPage();
    const json = { data: rows, totalPages: 2, total: { ...margin, trafficWithoutCost: half } };
    await again.route('**/v1/transactions/admin/margins?*', (route) => route.fulfill({ json }));
    await prefer(again, language, theme);
    await enter(again, '/admin/margins?month=2026-09', 'admin@example.com', 'demo-password');
    await expect(again.getByText(margin.exit!).first()).toBeVisible();
    await expectGood(again, `margins, ${language}, ${theme}`);
    await again.close();
  }
});

test('the dialog of traffic and cost is accessible and fits, and keeps what is stored', async ({ page }) => {
  const changes: string[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()));
  const json = { data: { gigabytes: 500, costPerGigabyte: 0.125 } };
  await page.route(/\/v1\/nodes\/admin\/[0-9a-f-]{36}\/traffic$/, (route) => route.fulfill({ json }));
  await enter(page, '/admin/nodes', 'admin@example.com', 'demo-password');
  await page
    .getByRole('button', { name: /^Traffic and cost of/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel(/^Gigabytes a month/)).toHaveValue('500');
  await expect(dialog.getByLabel(/^Cost of a gigabyte/)).toHaveValue('0.125');
  await expectGood(page, 'traffic and cost');
  await dialog.getByLabel(/^Gigabytes a month/).press('Enter');
  await expect(dialog).toBeHidden();
  expect(changes).toEqual([]);
});
