import type { Connection } from '@cellhop/contract/connections';
import type { Route } from '@playwright/test';
import { createCustomer, expect, signIn, test } from './product.ts';

const without = (connection: Connection) => ({ ...connection, dnsPort: null });

/** Simulates that other customers have all DNS ports of the node. */
async function takeDnsPorts(route: Route): Promise<void> {
  const response = await route.fetch();
  const { data, ...rest } = (await response.json()) as { data: Connection | Connection[] };
  await route.fulfill({ response, json: { ...rest, data: Array.isArray(data) ? data.map(without) : without(data) } });
}

test('a connection without a DNS port shows this after the purchase and in the list of connections', async ({
  page,
}) => {
  await createCustomer(page, 'without-dns-port@example.com');
  await signIn(page, 'without-dns-port@example.com');
  await page.route(/\/v1\/proxies\/connections(\?|$)/, takeDnsPorts);
  const dialog = page.getByRole('dialog');
  const dnsPort = (name: string) => dialog.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd');
  await page
    .getByRole('button', { name: /^Buy 198\.18\./ })
    .first()
    .click();
  await dialog.getByRole('button', { name: /^Buy for/ }).click();
  await expect(dnsPort('DNS port')).toHaveText('None available');
  await dialog.getByRole('link', { name: 'Go to connection history' }).click();
  await page.getByRole('button', { name: /^Details of 198\.18\./ }).click();
  await expect(dnsPort('DNS port')).toHaveText('None available');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.getByLabel('Language').selectOption('ru');
  await page
    .getByRole('button', { name: /198\.18\./ })
    .first()
    .click();
  await expect(dnsPort('Порт DNS')).toHaveText('Нет свободных');
});
