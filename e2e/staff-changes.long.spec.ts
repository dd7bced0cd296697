import { listInventory } from '@cellhop/contract/staff/inventory';
import type { Page } from '@playwright/test';
import pg from 'pg';
import { clientAs, enter, expect, test } from './product.ts';

const ADMIN = ['admin@example.com', 'demo-password'] as const;
const main = (page: Page) => page.getByRole('main');

test('a bulk change continues while the network is down, and its panel is shown again afterwards', async ({
  page,
  product,
  database,
}) => {
  const ips = Array.from({ length: 30 }, (_, n) => `198.51.100.${n + 1}`);
  await importProxies(page, ips);
  const panel = page.getByRole('region', { name: 'Inventory changes' });
  await page.goto('/admin/proxies?ip=198.51.100');
  const release = await holdProxy(database.url, ips[20]!);
  await page.getByRole('button', { name: 'Change prices' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Change in percent').fill('50');
  await dialog.getByRole('button', { name: 'Change prices (30)' }).click();
  await expect(panel.getByText('Price change: 0 of 30')).toBeVisible();

  await page.context().setOffline(true);
  await expect(page.getByText('You are offline')).toBeVisible();
  await release();
  const call = await clientAs(ADMIN[0], product.url);
  const readPrices = async () => {
    const { data } = await call(listInventory, { query: { ip: '198.51.100' } });
    return [...new Set(data.map(({ price }) => price))];
  };
  await expect.poll(readPrices).toEqual([1.2]);
  await expect(panel.getByText('Price change: 0 of 30')).toBeVisible();

  await page.context().setOffline(false);
  await expect(panel.getByText('The prices of 30 proxies were changed')).toBeVisible();
  await expect(main(page).getByRole('row').nth(1)).toContainText('$1.20');
});

async function importProxies(page: Page, ips: readonly string[]): Promise<void> {
  const header = 'ip,price,countryCode,region,city,zip,isp,connectionType,node,exitKind,exit';
  const lines = ips.map((ip) => `${ip},0.8,PT,Lisboa,Lisbon,1000,Held Operator,LTE,default,local-address,`);
  await enter(page, '/admin/proxies', ...ADMIN);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const buffer = Buffer.from([header, ...lines].join('\r\n'));
  await dialog.getByLabel('File').setInputFiles({ name: 'held.csv', mimeType: 'text/csv', buffer });
  await dialog.getByRole('button', { name: 'Check the file' }).click();
  await dialog.getByRole('button', { name: `Import ${ips.length}` }).click();
  await expect(page.getByText(`Imported: ${ips.length} new, 0 changed`)).toBeVisible();
}

/** Blocks the job, to simulate a slow one. @returns a function that unblocks it */
async function holdProxy(databaseUrl: string, ip: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select from proxies where ip = $1 for update', [ip]);
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}
