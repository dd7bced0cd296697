/** @module-tag long */
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { EXPORT_ROWS_MAX, IMPORT_ROWS_MAX } from '@cellhop/contract/limits';
import { checkImport } from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import { exportUsers } from '@cellhop/contract/staff/users';
import { exportTransactions } from '@cellhop/contract/transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode } from '../gateway/gateway.service.ts';

/** Others are served at least so often while a file is read or written, each time after the answer before. */
const SERVED_MIN = 20;

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  // The machine may be busy with other tests.
  testApp = await startTestApp({ databaseAcquireLimitMs: 120_000, databaseTimeLimitMs: 120_000 });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const line = (row: number) =>
  `10.${row >> 16}.${(row >> 8) & 255}.${row & 255},0.8,DE,Berlin,Berlin,10115,Telekom,LTE,paris,local-address,`;

/** @returns the result, and how many requests of others were served meanwhile */
async function besideOthers<T>(work: () => Promise<T>): Promise<{ result: T; served: number }> {
  const done = new AbortController();
  let served = 0;
  const others = (async () => {
    while (!done.signal.aborted) {
      expect((await fetch(`${testApp.url}/health/live`)).status).toBe(200);
      served += 1;
    }
  })();
  const result = await work().finally(() => done.abort());
  await others;
  return { result, served };
}

/** Reads without keeping the text, as a browser saves a file. @returns the first cells of the lines */
async function readFirstCells({ url }: EndpointDefinition, { headers }: TestUser, query = ''): Promise<string[]> {
  const response = await fetch(`${testApp.url}${url}${query}`, { headers });
  expect(response.status).toBe(200);
  const cells: string[] = [];
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\r\n');
    rest = lines.pop()!;
    for (const line of lines) cells.push(line.slice(0, line.indexOf(',')));
  }
  expect(rest).toBe('');
  return cells;
}

test(`${EXPORT_ROWS_MAX} users are exported whole, while others are served`, async () => {
  await testApp.database.query(
    `with opened as (insert into accounts (kind) select 'USER' from generate_series(1, $1::int) returning id)
     insert into users (email, password_hash, language_code, role_name, referral_code, account_id, created_at)
     select 'batch' || id || '@example.com', 'x', 'en', 'USER', 'BATCH' || id, id, now() - id * interval '1 second' from opened`,
    [EXPORT_ROWS_MAX],
  );
  const { result: ids, served } = await besideOthers(() => readFirstCells(exportUsers, admin, '?email=batch'));
  expect([ids[0], ids.length, new Set(ids).size]).toEqual(['id', EXPORT_ROWS_MAX + 1, EXPORT_ROWS_MAX + 1]);
  expect(served).toBeGreaterThan(SERVED_MIN);
});

test(`a statement of ${EXPORT_ROWS_MAX} transactions is whole, while others are served`, async () => {
  const user = await createUser(testApp);
  await testApp.database.query(
    `select post_transfers(array_agg('large ' || n), array_agg(1::bigint), array_agg($2::bigint), array_agg(10000::bigint), array_agg('TOP_UP'::transfer_reason))
       from generate_series(1, $1::int) as n`,
    [EXPORT_ROWS_MAX, user.accountId],
  );
  const { result: cells, served } = await besideOthers(() => readFirstCells(exportTransactions, user));
  expect(cells).toHaveLength(EXPORT_ROWS_MAX + 1);
  expect(served).toBeGreaterThan(SERVED_MIN);
});

test(`the largest import, of ${IMPORT_ROWS_MAX} rows, is checked while others are served`, async () => {
  await addNode(testApp.ctx, 'paris');
  const content = [importColumns.join(','), ...Array.from({ length: IMPORT_ROWS_MAX }, (_, row) => line(row))].join(
    '\r\n',
  );
  const input = { query: { format: 'csv' as const, fileName: 'large.csv' } };
  const { result, served } = await besideOthers(() =>
    admin.call(checkImport, input, { file: { type: 'text/csv', content } }),
  );
  expect(result.data).toMatchObject({ newCount: IMPORT_ROWS_MAX, errorCount: 0 });
  expect(served).toBeGreaterThan(SERVED_MIN);
});
