import { connect, listConnections } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import pg from 'pg';
import { callAs, createCustomer, enter, expect, setPrice, test } from './product.ts';
import { expectAccessible, expectFits, PHONE_WIDTH } from './screen-checks.ts';

/** The country of this test. */
const COUNTRY = 'GR';
const WIDTHS = [PHONE_WIDTH, 1440];

test('a proxy that fails its test is replaced: the refund pays for the next one, which can be used at once', async ({
  page,
  product,
  database,
}) => {
  await createCustomer(page, 'replaces@example.com');
  await enter(page, '/connection-history', 'replaces@example.com');
  const call = callAs(page, product.url);
  const [first, second] = (await call(searchProxies, { query: { country: [COUNTRY] } })).data;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // All proxies of the demo share one exit: this one gets its own, which does not work. Nobody checks it before the customer does.
  for (const { id } of [first!, second!]) await setPrice(database, id, 0.8);
  await client.query(`update proxies set isp = 'Replacing Mobile' where id = any($1)`, [[first!.id, second!.id]]);
  const { rows } = await client.query<{ id: string }>(
    `insert into exits (node_id, kind, key, parameters)
     select node_id, 'local-address', 'local-address://192.0.2.9', '{"address": "192.0.2.9"}'
       from exits where id = (select exit_id from proxies where id = $1) returning id`,
    [first!.id],
  );
  const exitId = rows[0]!.id;
  await client.query(
    `update exit_checks set health = 'HEALTHY', next_check_at = now() + interval '9 minutes' where exit_id = $1`,
    [exitId],
  );
  await client.query('update proxies set exit_id = $2 where id = $1', [first!.id, exitId]);
  const { data: connection } = await call(connect, { body: { id: first!.id, price: 0.8 } });
  await client.end();

  await page.getByRole('button', { name: `Test ${connection.ip}` }).click();
  await page.getByRole('button', { name: `Replace ${connection.ip}` }).click();
  const question = page.getByRole('dialog', { name: `Replace ${connection.ip}?` });
  await expect(question).toContainText('You get $0.40 back for 50 unused MB.');
  await expect(question).toContainText('for $0.40 for its first 50 MB');
  for (const width of WIDTHS) {
    await expectFits(page, 'question', [width]);
    await expectAccessible(page, `question at ${width}`);
  }
  await question.getByRole('button', { name: 'Replace' }).click();
  const dialog = page.getByRole('dialog', { name: `Connection ${second!.ip}` });
  await expect(dialog.getByText(second!.ip).first()).toBeVisible();
  await expect(page.getByText(`Replaced by ${second!.ip}`, { exact: false })).toBeVisible();
  for (const width of WIDTHS) {
    await expectFits(page, 'new connection', [width]);
    await expectAccessible(page, `new connection at ${width}`);
  }
  await dialog.getByRole('button', { name: 'Test' }).click();
  await expect(dialog.getByText('It works.')).toBeVisible();

  const { data, balance } = await call(listConnections, { query: {} });
  expect(data.map(({ status, endReason, paidFor }) => ({ status, endReason, paidFor }))).toEqual([
    { status: 'WORK', endReason: null, paidFor: 0.4 },
    { status: 'DISCONNECT_USER', endReason: 'USER', paidFor: 0 },
  ]);
  expect(balance).toBe(0.6);
});
