import type { Receipt } from '@cellhop/contract/receipts';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { checkReceipt } from '../../../../tools/receipt-checker/check.mjs';
import { cloneDatabase } from '../../../../tools/test-database.mjs';
import { migrateUntil } from '../../../test/older-database.ts';
import type { Actor } from '../../http/actor.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { loadConfig } from '../../process/config.ts';
import { createCtx, type Ctx } from '../../ctx.ts';
import { openDatabase } from '../../db/db.ts';
import { createLog } from '../../process/log.ts';
import { migrate } from '../../db/migrate.ts';
import { emptyReport, settleReports } from './settlement.service.ts';
import { getPublicKey, streamReceipt } from './receipts.service.ts';

const MB = 1_048_576n;
const [userId, openId, endedId, runId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];

let ctx: Ctx;
let stop: () => Promise<void>;

/** A database with money from before receipts, migrated to the current schema. */
beforeAll(async () => {
  const clone = await cloneDatabase(inject('postgresUrl'), 'template1');
  const client = new pg.Client({ connectionString: clone.url });
  await client.connect();
  await migrateUntil(clone.url, '0008');
  await client.query(oldShop);
  await client.end();
  await migrate(clone.url);
  const config = loadConfig({
    DATABASE_URL: clone.url,
    SECRET_KEY: 'a secret key for tests of at least 32 characters',
    GATEWAY_TOKEN: 'gateway-token-of-the-tests',
    LOG_LEVEL: 'silent',
  });
  const database = openDatabase(clone.url, 4);
  ctx = createCtx(database, config, createLog('test', 'silent', false));
  stop = async () => {
    await database.close();
    await clone.drop();
  };
});
afterAll(() => stop());

/** Account 1000 paid for 1001, which is open with 53 started MB, and for 1002, which ended after 2 MB. */
const oldShop = `
  insert into roles (name, permissions) values ('USER', '{}') on conflict do nothing;
  insert into accounts (kind, balance_micros) values ('USER', 8560000), ('ESCROW', 424000), ('ESCROW', 0);
  update accounts set balance_micros = -9000000 where id = 1;
  update accounts set balance_micros = 16000 where id = 2;
  insert into users (id, email, password_hash, language_code, referral_code, account_id)
  values ('${userId}', 'old@example.com', '', 'en', 'OLDUSER', 1000);
  insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit)
  select ip::inet, 800000, 'DE', '', '', '', '', '', '{"kind":"local-address","address":null}'
    from unnest('{10.0.0.1,10.0.0.2}'::text[]) as ip;
  insert into connections (id, user_id, proxy_id, payer_account_id, escrow_account_id, price_micros, status, end_reason,
                           refund_status, username, password_encrypted, password_hash, used_bytes, granted_bytes,
                           charged_megabytes, ended_at)
  select '${openId}'::uuid, '${userId}'::uuid, id, 1000, 1001, 800000, 'WORK', null, 'NONE', 'old-open', ''::bytea,
         ''::bytea, ${52n * MB + 9n}, ${53n * MB}, 53, null
    from proxies where ip = '10.0.0.1'
  union all
  select '${endedId}', '${userId}', id, 1000, 1002, 800000, 'DISCONNECT_USER', 'USER', 'REFUNDED', 'old-ended', '',
         '', ${MB + 1n}, ${MB + 1n}, 2, now() from proxies where ip = '10.0.0.2';
  update proxies set connection_id = '${openId}' where ip = '10.0.0.1';
  insert into gateway_nodes (name, token_hash) values ('default', '');
  insert into gateway_runs (id, node_id) select '${runId}', id from gateway_nodes;
  insert into connection_runs (connection_id, run_id, used_bytes, granted_bytes, is_open)
  values ('${openId}', '${runId}', ${52n * MB + 9n}, ${53n * MB}, true),
         ('${endedId}', '${runId}', ${MB + 1n}, ${MB + 1n}, false);
  insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to)
  values ('deposit', 1, 1000, 9000000, 'TOP_UP', null, null),
         ('open:prepaid', 1000, 1001, 400000, 'PREPAID_50_MB', 0, 50),
         ('ended:prepaid', 1000, 1002, 400000, 'PREPAID_50_MB', 0, 50),
         ('open:mb:51', 1000, 1001, 8000, 'MEGABYTE', 50, 51),
         ('open:mb:52', 1000, 1001, 16000, 'MEGABYTE', 51, 53),
         ('ended:refund', 1002, 1000, 384000, 'REFUND', null, null),
         ('ended:settle', 1002, 2, 16000, 'SETTLE', null, null);
`;

async function readReceipt(connectionId: string): Promise<Receipt> {
  let text = '';
  for await (const chunk of await streamReceipt(ctx, { userId } as Actor, connectionId)) text += chunk;
  return (JSON.parse(text) as { data: Receipt }).data;
}

test('charges from before receipts are chained by the migration, and later ones follow them', async () => {
  const { publicKey } = await getPublicKey(ctx);
  const before = await readReceipt(openId);
  expect(before.charges.map((charge) => [charge.kind, charge.downloadedBytes])).toEqual([
    ['PREPAID_50_MB', 0],
    ['MEGABYTE', Number(50n * MB + 1n)],
    ['MEGABYTE', Number(52n * MB + 1n)],
  ]);
  const ended = await readReceipt(endedId);
  expect(ended.charges[1]).toMatchObject({ kind: 'REFUND', firstMegabyte: 3, lastMegabyte: 50, amount: -0.384 });
  expect(await checkReceipt(ended, { publicKey })).toBeUndefined();

  await settleReports(ctx, runId, [{ ...emptyReport(openId, MB), usedBytes: 53n * MB }], 'report');
  await settleReports(ctx, runId, [{ ...emptyReport(openId), usedBytes: 53n * MB + 1n, uploadedBytes: 1n }], 'report');
  const after = await readReceipt(openId);
  expect(after.charges).toHaveLength(4);
  expect(after).toMatchObject({ total: 0.432, uploadedBytes: 1 });
  expect(await checkReceipt(after, { publicKey, earlier: before })).toBeUndefined();
  expect(await checkInvariants(ctx)).toEqual([]);
});
