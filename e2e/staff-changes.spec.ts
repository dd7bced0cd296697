import { changeCannedReply, createCannedReply, listCannedReplies } from '@cellhop/contract/staff/canned-replies';
import { changeRole, createRole, listRoles } from '@cellhop/contract/staff/roles';
import { listInventory } from '@cellhop/contract/staff/inventory';
import type { Page } from '@playwright/test';
import pg from 'pg';
import { clientAs, enter, expect, test } from './product.ts';

const ADMIN = ['admin@example.com', 'demo-password'] as const;
const STALE = 'Someone else has changed this';
const main = (page: Page) => page.getByRole('main');

test('a dialog never overwrites a change that others made while it was open: its own change is refused', async ({
  page,
  product,
}) => {
  const call = await clientAs(ADMIN[0], product.url);
  const dialog = page.getByRole('dialog');

  await test.step('the permissions of a role', async () => {
    const name = 'SEEN_BEFORE';
    await call(createRole, { body: { name, permissions: ['FAQ_READ'] } });
    await enter(page, '/admin/roles', ...ADMIN);
    const row = main(page).getByRole('row').filter({ hasText: name });
    await row.getByRole('button', { name: `Change ${name}` }).click();
    await dialog.getByLabel('TICKETS_READ').check();
    await dialog.getByLabel('Reason').fill('also reads tickets');
    const otherChange = { permissions: ['AUDIT_READ'] as const, reason: 'they were faster' };
    await call(changeRole, { params: { name }, body: { ...otherChange, permissions: [...otherChange.permissions] } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText(STALE)).toBeVisible();
    await expect(row).toContainText('AUDIT_READ');
    const role = (await call(listRoles, {})).data.find((each) => each.name === name);
    expect(role?.permissions).toEqual(['AUDIT_READ']);
  });

  await test.step('the deletion of a canned reply', async () => {
    const texts = { title: 'Seen before', contentEn: 'Hello', contentRu: 'Привет' };
    const { id } = (await call(createCannedReply, { body: texts })).data;
    await page.goto('/admin/tickets/replies');
    await main(page).getByRole('button', { name: 'Delete Seen before' }).click();
    await call(changeCannedReply, { params: { id }, body: { ...texts, contentEn: 'Good morning' } });
    // The live event has updated the row, but the dialog still has the older version.
    await expect(main(page).getByText('Good morning')).toBeVisible();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText(STALE).last()).toBeVisible();
    expect((await call(listCannedReplies, {})).data.some((reply) => reply.id === id)).toBe(true);
    // The next attempt is based on the current version.
    await expect(dialog).toBeHidden();
    await main(page).getByRole('button', { name: 'Delete Seen before' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(main(page).getByRole('button', { name: 'Delete Seen before' })).toHaveCount(0);
  });
});

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
