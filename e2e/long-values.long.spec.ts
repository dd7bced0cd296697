import { buyAsUser, changeRows, collisions, expectFits, prefer, visit } from './screen-checks.ts';
import { enter, expect, test } from './product.ts';
import type { Page } from '@playwright/test';

/** A full IPv6 address, and names that run from right to left, before a number. */
const LONG = {
  ip: '2001:db8b:85a3:18d3:1319:8a2e:1370:7344',
  city: 'الإسكندرية',
  region: 'محافظة الإسكندرية',
  zip: '21500',
  isp: 'المصرية للاتصالات',
};
const WIDTHS = [320, 390, 768, 1440];

async function expectReadable(page: Page, path: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await visit(page, path);
    await expect(page.getByText(LONG.ip).first()).toBeVisible();
    await expectFits(page, path, [width]);
    await expect.poll(() => collisions(page), `${path} at ${width}`).toEqual([]);
  }
}

/** With an open dialog at each width. */
async function expectReadableDialog(page: Page, where: string): Promise<void> {
  await expect(page.getByRole('dialog').getByText(LONG.isp)).toBeVisible();
  await expectFits(page, where, WIDTHS);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => collisions(page), `${where} at ${width}`).toEqual([]);
  }
}

test('full IPv6 addresses and Arabic names keep their place in the lists of customers', async ({ page, product }) => {
  await buyAsUser(product.url);
  await prefer(page, 'en', 'LIGHT');
  await changeRows(page, /\/v1\/proxies(?:\?|$)/, (rows) => rows.map((row) => ({ ...row, ...LONG })));
  await changeRows(page, /\/v1\/proxies\/connections\?/, (rows) =>
    rows.map((row) => ({ ...row, ...LONG, label: `${LONG.city} 24` })),
  );
  await page.route(/\/v1\/usage\?/, async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: { connections: object[] } };
    const connections = data.connections.map((row) => ({ ...row, ip: LONG.ip }));
    await route.fulfill({ response, json: { data: { ...data, connections } } });
  });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await expectReadable(page, '/proxies');
  await page.getByRole('main').getByRole('button', { name: /^Buy / }).first().click();
  await expectReadableDialog(page, 'a proxy');
  await expectReadable(page, '/connection-history');
  await page
    .getByRole('button', { name: /^Details of / })
    .first()
    .click();
  await expectReadableDialog(page, 'a connection');
  await expectReadable(page, '/usage');
});

test('full IPv6 addresses and Arabic names keep their place in the lists of staff', async ({ page, product }) => {
  await buyAsUser(product.url);
  await prefer(page, 'en', 'LIGHT');
  await changeRows(page, /\/v1\/proxies\/connections\/admin\?/, (rows) => rows.map((row) => ({ ...row, ...LONG })));
  await changeRows(page, /\/v1\/proxies\/admin\?/, (rows) => rows.map((row) => ({ ...row, ...LONG })));
  await enter(page, '/admin/connections', 'admin@example.com', 'demo-password');
  await expectReadable(page, '/admin/connections');
  await page
    .getByRole('button', { name: /^Details of / })
    .first()
    .click();
  await expectReadableDialog(page, 'a connection of a user');
  await expectReadable(page, '/admin/proxies');
});
