import { listInventory } from '@cellhop/contract/staff/inventory';
import type { Locator, Page } from '@playwright/test';
import pg from 'pg';
import { clientAs, enter, expect, test } from './product.ts';
import { expectGood, prefer } from './screen-checks.ts';

const ADMIN = ['admin@example.com', 'demo-password'] as const;
const IPS = ['192.0.2.201', '192.0.2.202', '192.0.2.203'];
const FILTER = '/admin/proxies?ip=192.0.2';

test('staff retry a bulk change that has failed, and dismiss an import', async ({ page, product, database }) => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const panel = page.getByRole('region', { name: 'Inventory changes' });
  const call = await clientAs(ADMIN[0], product.url);
  const readPrices = async () => {
    const { data } = await call(listInventory, { query: { ip: '192.0.2' } });
    return data.map(({ price }) => price);
  };
  await enter(page, '/admin/proxies', ...ADMIN);
  await importFile(page, IPS.slice(0, 2));
  await expect(panel.getByText('Imported: 2 new, 0 changed')).toBeVisible();

  await test.step('retry', async () => {
    await page.goto(FILTER);
    await refuseProxies(client);
    await raisePrices(page, '50');
    await failLastAttempt(client, panel.getByText('Price change: an attempt failed and will be retried.'));
    await expect(panel.getByText('Price change: failed, nothing was changed. The disk is full')).toBeVisible();
    expect(await readPrices()).toEqual([0.8, 0.8]);
    await acceptProxies(client);
    await panel.getByRole('button', { name: 'Retry: Price change' }).click();
    await expect(panel.getByText('The prices of 2 proxies were changed')).toBeVisible();
    await expect(panel.getByRole('button')).toHaveCount(0);
    expect(await readPrices()).toEqual([1.2, 1.2]);
  });

  await test.step('dismiss, in Russian too', async () => {
    await refuseProxies(client);
    await importFile(page, IPS);
    await failLastAttempt(client, panel.getByText('Import: an attempt failed and will be retried.'));
    await expect(panel.getByRole('button', { name: 'Dismiss: Import' })).toBeVisible();

    await prefer(page, 'ru', 'LIGHT');
    await page.goto(FILTER);
    const russianPanel = page.getByRole('region', { name: 'Изменения парка прокси' });
    await expect(russianPanel.getByText('Импорт: не удалось, ничего не изменено. The disk is full')).toBeVisible();
    await expectGood(page, 'a failed import');
    await page.setViewportSize({ width: 390, height: 844 });
    await russianPanel.getByRole('button', { name: 'Отменить: Импорт' }).click();
    await expect(russianPanel.getByText('Импорт: отменено, ничего не изменено.')).toBeVisible();
    await expect(russianPanel.getByRole('button')).toHaveCount(0);
    await acceptProxies(client);
    expect(await readPrices()).toEqual([1.2, 1.2]);
    // It is not retried.
    const { rowCount } = await client.query(
      `select from graphile_worker._private_jobs where key like 'proxies.change:%'`,
    );
    expect(rowCount).toBe(0);
  });
  await client.end();
});

/** Simulates a full disk: each write of these proxies fails. */
async function refuseProxies(client: pg.Client): Promise<void> {
  await client.query(`create or replace function refuse() returns trigger language plpgsql as $$
    begin raise 'The disk is full'; end $$`);
  await client.query(`create trigger refused before insert or update on proxies for each row
    when (new.ip between '192.0.2.201' and '192.0.2.203') execute function refuse()`);
}

async function acceptProxies(client: pg.Client): Promise<void> {
  await client.query('drop trigger refused on proxies');
}

/** Waits for the first attempt, then runs the next one as the last, without the pause of minutes. */
async function failLastAttempt(client: pg.Client, hasFailedOnce: Locator): Promise<void> {
  await expect(hasFailedOnce).toBeVisible();
  const hurry = () =>
    client.query(`update graphile_worker._private_jobs set attempts = max_attempts - 1, run_at = now()
      where key like 'proxies.change:%' and locked_at is null`);
  // The page shows the failure before the worker has released the job.
  await expect.poll(async () => (await hurry()).rowCount).toBe(1);
}

async function raisePrices(page: Page, percent: string): Promise<void> {
  await page.getByRole('button', { name: 'Change prices' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Change in percent').fill(percent);
  await dialog.getByRole('button', { name: /^Change prices \(\d+\)$/ }).click();
}

async function importFile(page: Page, ips: readonly string[]): Promise<void> {
  const header = 'ip,price,countryCode,region,city,zip,isp,connectionType,node,exitKind,exit';
  const lines = ips.map((ip) => `${ip},0.8,PT,Lisboa,Lisbon,1000,Operator,LTE,default,local-address,`);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const buffer = Buffer.from([header, ...lines].join('\r\n'));
  await dialog.getByLabel('File').setInputFiles({ name: 'more.csv', mimeType: 'text/csv', buffer });
  await dialog.getByRole('button', { name: 'Check the file' }).click();
  await dialog.getByRole('button', { name: /^Import \d/ }).click();
}
