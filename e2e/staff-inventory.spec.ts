import { enter, expect, test } from './product.ts';

const HEADER = 'ip,price,countryCode,region,city,zip,isp,connectionType,node,exitKind,exit';
const lineOf = (ip: string, price: string) =>
  `${ip},${price},PT,Lisboa,Lisbon,1000,"Operator, Lda",LTE,default,local-address,`;
const fileOf = (...lines: string[]) => ({
  name: 'stock.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from([HEADER, ...lines].join('\r\n')),
});

test('staff import proxies after a check, raise their price and retire one', async ({ page }) => {
  await enter(page, '/admin/proxies', 'admin@example.com', 'demo-password');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('File').setInputFiles(fileOf(lineOf('203.0.113.1', 'cheap')));
  await dialog.getByRole('button', { name: 'Check the file' }).click();
  await expect(dialog.getByText('1 error. Nothing was imported.')).toBeVisible();
  await expect(dialog.getByRole('listitem')).toHaveText(/^Line 2, price: invalid price/);

  // Three proxies: the changes of other tests, which are listed too, have other numbers.
  const lines = [lineOf('203.0.113.1', '0.8'), lineOf('203.0.113.2', '1'), lineOf('203.0.113.3', '1')];
  await dialog.getByLabel('File').setInputFiles(fileOf(...lines));
  await dialog.getByRole('button', { name: 'Check the file' }).click();
  await expect(dialog.getByText('New: 3. Changed: 0. Unchanged: 0.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Import 3' }).click();
  const changes = page.getByRole('region', { name: 'Inventory changes' });
  await expect(changes.getByText('Imported: 3 new, 0 changed')).toBeVisible();
  await expect(dialog).toBeHidden();

  await page.getByLabel('IP address').fill('203.0.113');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL(/ip=203\.0\.113/);
  const rows = page.getByRole('region', { name: 'Proxies' }).getByRole('row');
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(1)).toContainText('Operator, Lda');

  await page.getByRole('button', { name: 'Change prices' }).click();
  await expect(dialog.getByText('3 proxies match the filter: $0.80 to $1.00')).toBeVisible();
  await dialog.getByLabel('Change in percent').fill('10');
  await dialog.getByRole('button', { name: 'Change prices (3)' }).click();
  await expect(changes.getByText('The prices of 3 proxies were changed')).toBeVisible();
  await expect(rows.nth(1)).toContainText('$0.88');

  // The gateway of the product checks the exit that the demo's proxies share, and its outcome reaches the open page.
  const act = async (ip: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${ip}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('203.0.113.2', 'Check now');
  await expect(rows.nth(2)).toContainText(/Free.*\d+ s ago.*\d+\sms/);

  await act('203.0.113.1', 'Retire');
  await dialog.getByRole('button', { name: 'Retire (1)' }).click();
  await expect(rows.nth(1)).toContainText('Retired');
  await page.getByRole('button', { name: 'Actions for 203.0.113.1' }).click();
  await expect(page.getByRole('menuitem', { name: 'Restore' })).toBeVisible();
  await page.keyboard.press('Escape');

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  expect((await download).suggestedFilename()).toBe('proxies.csv');
});
