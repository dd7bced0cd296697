import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';
import { listAllTickets } from '@cellhop/contract/staff/tickets';
import pg from 'pg';
import { clientAs, createCustomer, enter, expect, test } from './product.ts';

const ADMIN = ['admin@example.com', 'demo-password'] as const;
const EMAIL = 'asks-very-often@example.com';
/** Tickets of one customer: ten more than can be paged through. */
const TICKETS = LISTED_ROWS_MAX + 10;

test('staff reach the rows after the last page of a long list', async ({ page, product, database }) => {
  await createCustomer(page, EMAIL);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ id: string }>('select id from users where email = $1', [EMAIL]);
  const userId = rows[0]!.id;
  await client.query(
    `insert into tickets (user_id, author_id, name, description, status, created_at, closed_at)
     select $1, $1, 'Question ' || number, 'text', 'CLOSED', now() - interval '1 year' - number * interval '1 minute', now()
       from generate_series(1, $2::int) as number`,
    [userId, TICKETS],
  );
  await client.end();

  // A page after the last one, from an old link for example.
  await enter(page, `/admin/tickets?userId=${userId}&page=300`, ...ADMIN);
  await page.getByRole('button', { name: 'Go to the last page' }).click();
  await expect(page).toHaveURL(/page=200/);
  const main = page.getByRole('main');
  await expect(main.getByText('There may be more rows', { exact: false })).toBeVisible();
  await expect(main.getByText('Question 10000', { exact: true })).toBeVisible();

  await main.getByRole('button', { name: 'Continue after this row' }).click();
  await expect(page).toHaveURL(/until=/);
  // The continued list repeats its start row.
  for (const number of [10_000, 10_001, TICKETS])
    await expect(main.getByText(`Question ${number}`, { exact: true })).toBeVisible();
  await expect(main.getByText('Question 9999', { exact: true })).toHaveCount(0);
  await expect(main.getByRole('button', { name: 'Continue after this row' })).toHaveCount(0);
  await main.getByRole('button', { name: 'Back to the start' }).click();
  await expect(main.getByText('Question 1', { exact: true })).toBeVisible();

  const call = await clientAs(ADMIN[0], product.url);
  // Pages after the last one are empty, up to the largest page number; larger numbers are refused.
  const after = await call(listAllTickets, { query: { userId, page: 201 } });
  expect(after).toEqual({ data: [], totalPages: 200, isTruncated: true });
  const refused = call(listAllTickets, { query: { userId, page: LISTED_ROWS_MAX + 1 } });
  await expect(refused).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
});
