import { connect, disconnect, type Connection } from '@cellhop/contract/connections';
import { getReconciliation } from '@cellhop/contract/transactions';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProxy, createUser, topUp, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { newInvoice, pay } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import type { Ctx } from '../../ctx.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { reconcileWhenDue, showReconciliation } from './reconciliation.service.ts';

const MB = 1_048_576;
const METRICS_TOKEN = 'a-token-for-the-metrics';

let testApp: TestApp;
let user: TestUser;
let open: Connection;
let ended: Connection;
const alarms: unknown[] = [];

/** The context of a worker whose alarms are recorded. */
let worker: Ctx;

beforeAll(async () => {
  testApp = await startTestApp({ metricsToken: METRICS_TOKEN });
  await registerNode(testApp.ctx);
  const log = { ...testApp.ctx.log, fatal: (alarm: unknown) => alarms.push(alarm) } as unknown as Ctx['log'];
  worker = { ...testApp.ctx, log };
  // A top-up, an open connection with traffic and a grant, an ended one with a refund.
  user = await createUser(testApp);
  await pay(testApp, await newInvoice(user, 'USDT_BSC', 25));
  const run = createGatewayRun(testApp);
  [open, ended] = [await buy(), await buy()];
  await run.authorize(open);
  await run.report(open.id, 50 * MB, 5 * MB);
  await run.report(open.id, 51 * MB, 5 * MB);
  await user.call(disconnect, { params: { id: ended.id } });
});
afterAll(() => testApp.stop());

const buy = async () => (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;

const change = (sql: string, values: unknown[] = []) =>
  testApp.database.transaction(async (db) => {
    // Without triggers and foreign keys, as if an administrator had edited the tables.
    await db.query('set local session_replication_role = replica');
    await db.query(sql, values);
  });

const dropConstraint = (from: 'domain amount_micros' | `table ${string}`, constraint: string) =>
  testApp.database.query(`alter ${from} drop constraint ${constraint}`);

/** Runs the check as if it were due. */
async function reconcile() {
  await testApp.database.query("update reconciliation set claimed_at = now() - interval '1 day'");
  alarms.length = 0;
  await reconcileWhenDue(worker);
  return showReconciliation(testApp.ctx);
}

/** Backdates everything, the last full check included, so that the next check is incremental. */
async function grow(hours: number): Promise<void> {
  // Charges are not backdated, because receipts contain their dates; the newest transfer is none.
  await topUp(testApp, user.accountId, 1n);
  for (const [table, columns] of [
    ['transfers', ['created_at']],
    ['connections', ['created_at', 'ended_at']],
    ['deposits', ['credited_at']],
    ['reconciliation', ['claimed_at', 'checked_at', 'verified_until']],
  ] as const) {
    const assignments = columns.map((column) => `${column} = ${column} - $1 * interval '1 hour'`).join(', ');
    await change(`update ${table} set ${assignments} ${table === 'transfers' ? 'where charge_hash is null' : ''}`, [
      hours,
    ]);
  }
}

const forgetMark = () =>
  testApp.database.query(
    'update reconciliation set verified_transfer_id = 0, verified_until = to_timestamp(0), verified_whole_at = null',
  );

describe('a healthy database', () => {
  test('has no violation, in a full and in an incremental check', async () => {
    expect(await showReconciliation(testApp.ctx)).toMatchObject({ status: 'NEVER_RUN', checkedAt: null });
    expect(await reconcile()).toMatchObject({ status: 'OK', violations: [], violationCount: 0 });
    await grow(1);
    expect((await reconcile()).status).toBe('OK');
    await topUp(testApp, user.accountId, 5n);
    await user.call(disconnect, { params: { id: (await buy()).id } });
    expect((await reconcile()).status).toBe('OK');
    expect(alarms).toEqual([]);
    const [mark] = await testApp.database.query<{ id: bigint }>(
      'select verified_transfer_id as id from reconciliation',
    );
    expect(mark!.id).toBeGreaterThan(0n);
  });

  test('is checked once per interval, by one of many workers', async () => {
    await testApp.database.query('update reconciliation set claimed_at = now(), checked_at = null');
    await reconcileWhenDue(worker);
    expect((await showReconciliation(testApp.ctx)).status).toBe('NEVER_RUN');
    await testApp.database.query("update reconciliation set claimed_at = now() - interval '301 seconds'");
    await Promise.all(Array.from({ length: 5 }, () => reconcileWhenDue(worker)));
    expect((await showReconciliation(testApp.ctx)).status).toBe('OK');
  });
});

async function readMetrics(headers: Record<string, string>) {
  const response = await fetch(`${testApp.url}/metrics`, { headers });
  return { status: response.status, text: await response.text() };
}

/** Each corrupts rows of the given users and connections, and names the violated rule. */
const faults: { name: string; rule: string; plant: () => Promise<unknown>; isFoundInWhole?: true }[] = [
  {
    name: 'a balance that was edited by hand',
    rule: 'each balance is the sum of its entries',
    plant: () => change('update accounts set balance_micros = balance_micros + 1 where id = $1', [user.accountId]),
  },
  {
    name: 'money from nowhere',
    rule: 'all balances together are zero',
    plant: () => change('update accounts set balance_micros = balance_micros + 1 where id = 2'),
  },
  {
    name: 'a transfer that was changed afterwards',
    rule: 'each balance is the sum of its entries',
    plant: () => change("update transfers set amount_micros = amount_micros + 1 where reason = 'TOP_UP'"),
  },
  {
    name: 'a transfer that was taken out',
    rule: 'each balance is the sum of its entries',
    plant: () => change("delete from transfers where reason = 'REFUND'"),
  },
  {
    name: 'money that went to no account',
    rule: 'every entry belongs to an account',
    plant: () =>
      change(
        `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
         values ('nobody', 1, 999999999, 5, 'TOP_UP')`,
      ),
  },
  {
    name: 'a negative balance',
    rule: 'no customer and no escrow is below zero, holds included',
    plant: async () => {
      await dropConstraint('table accounts', 'customer_not_negative');
      await change('update accounts set balance_micros = -1 where id = $1', [user.accountId]);
    },
  },
  {
    name: 'a transfer of a negative amount',
    rule: 'every transfer moves a positive amount',
    plant: async () => {
      await dropConstraint('domain amount_micros', 'amount_positive');
      await change(
        `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
         values ('negative', 1, $1, -5, 'TOP_UP')`,
        [user.accountId],
      );
    },
  },
  {
    name: 'an open connection that was charged too little',
    rule: 'an open connection has paid for 50 MB, or for its started megabytes',
    plant: () => change('update connections set charged_megabytes = charged_megabytes - 1 where id = $1', [open.id]),
  },
  {
    name: 'an ended connection that was charged too much',
    rule: 'an ended connection has paid for its started megabytes, or for 50 MB',
    plant: () => change('update connections set charged_megabytes = 7 where id = $1', [ended.id]),
  },
  {
    name: 'a gap in the charged megabytes',
    rule: 'charged megabytes have no gap and no overlap',
    plant: () =>
      change(
        "update transfers set megabyte_from = megabyte_from + 1, megabyte_to = megabyte_to + 1 where reason = 'MEGABYTE'",
      ),
    isFoundInWhole: true,
  },
  {
    name: 'an overlap of charged megabytes',
    rule: 'charged megabytes have no gap and no overlap',
    plant: () => change("update transfers set megabyte_from = megabyte_from - 1 where reason = 'MEGABYTE'"),
    isFoundInWhole: true,
  },
  {
    name: 'a charge whose traffic was changed afterwards',
    rule: 'the charges of a connection are an unbroken chain of hashes',
    plant: () => change("update transfers set uploaded_bytes = 1 where reason = 'PREPAID_50_MB'"),
  },
  {
    name: 'a receipt that does not begin with its first charge',
    rule: 'the charges of a connection are an unbroken chain of hashes',
    plant: () => change('update connections set charge_hash = null where id = $1', [ended.id]),
  },
  {
    name: 'an ended connection with money in escrow',
    rule: 'the escrow of an open connection equals what was paid, that of an ended one is empty',
    plant: () => change('update connections set escrow_micros = escrow_micros + 1 where id = $1', [ended.id]),
  },
  {
    name: 'a hold that was not released',
    rule: 'the hold of a customer equals the price of their open grants',
    plant: () => change('update accounts set held_micros = held_micros + 1 where id = $1', [user.accountId]),
  },
  {
    name: 'traffic that no run has counted',
    rule: 'the counters of a connection equal the sums of its gateway runs',
    plant: () => change('update connections set used_bytes = used_bytes - 1 where id = $1', [open.id]),
  },
  {
    name: 'uploaded traffic that no run has counted',
    rule: 'the counters of a connection equal the sums of its gateway runs',
    plant: () => change('update connections set uploaded_bytes = uploaded_bytes + 1 where id = $1', [open.id]),
  },
  {
    name: 'traffic beyond the grant',
    rule: 'used bytes never exceed granted bytes',
    plant: async () => {
      await dropConstraint('table connections', 'bytes_in_order');
      await change('update connections set granted_bytes = used_bytes - 1 where id = $1', [open.id]);
    },
  },
  {
    name: 'a proxy that did not come back',
    rule: 'a sold proxy has one open connection, and an open connection its proxy',
    plant: () =>
      change('update proxies set connection_id = $1 where id = (select proxy_id from connections where id = $1)', [
        ended.id,
      ]),
  },
  {
    name: 'a proxy that can be sold twice',
    rule: 'a sold proxy has one open connection, and an open connection its proxy',
    plant: () => change('update proxies set connection_id = null where connection_id = $1', [open.id]),
  },
  {
    name: 'a deposit that was credited with another amount',
    rule: 'each final deposit is credited once, with the amount in the ledger',
    plant: () => change('update deposits set credited_micros = credited_micros + 1'),
  },
  {
    name: 'a deposit that is credited without the record of it',
    rule: 'each final deposit is credited once, with the amount in the ledger',
    plant: () => change("update deposits set state = 'FINAL', credited_at = null, credited_micros = null"),
  },
  {
    name: 'a payment that was given to a customer without a request',
    rule: 'a payment to a lost address is given to a customer by a request alone',
    plant: () => change('update deposits set assigned_to = $1', [user.id]),
  },
  {
    name: 'a credited top-up without a receipt',
    rule: 'each credited top-up has a receipt',
    plant: () => change('delete from top_up_receipts'),
  },
  {
    name: 'a receipt whose number was changed',
    rule: 'receipts of top-ups are numbered without gaps',
    plant: () => change('update top_up_receipts set number = number + 1'),
  },
  {
    name: 'a credit of a deposit that never was',
    rule: 'each credit of a deposit has its deposit',
    plant: () =>
      change(
        `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
         values ('deposit:' || gen_random_uuid(), 1, $1, 5, 'TOP_UP')`,
        [user.accountId],
      ),
  },
  {
    name: 'a deposit that was reversed without a transfer',
    rule: 'a reversal takes back exactly what its deposit was credited',
    plant: () =>
      change("update deposits set state = 'REVERSED', reversed_at = now(), reversed_micros = credited_micros"),
  },
  {
    name: 'a reversal of a deposit that never was',
    rule: 'each reversal has its reversed deposit',
    plant: () =>
      change(
        `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
         values ('reversal:' || gen_random_uuid(), $1, 1, 5, 'REVERSAL')`,
        [user.accountId],
      ),
  },
  {
    name: 'a restoration of a deposit that was never reversed',
    rule: 'reversals and restorations of a deposit add up',
    plant: () =>
      change(
        `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
         select 'restoration:' || id, 1, $1, 5, 'RESTORATION' from deposits limit 1`,
        [user.accountId],
      ),
  },
  {
    name: 'a transfer to nobody',
    rule: 'every transfer is between accounts that exist',
    plant: () =>
      change(
        `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
         values ('to nobody', 1, 999999999, 5, 'TOP_UP')`,
      ),
  },
  {
    name: 'an invoice that is paid without a payment',
    rule: 'a paid invoice has a credited deposit',
    plant: () => change('update deposits set invoice_id = null'),
  },
  {
    name: 'a replaced connection that goes on',
    rule: 'a replaced connection has ended and costs its started megabytes, and the one in its place has the same owner, price and first purchase',
    plant: () => change('insert into replacements (connection_id, finished_at) values ($1, now())', [open.id]),
  },
];

describe('a corrupted row', () => {
  /** The original contents of all tables with money, restored before each corruption. */
  const tables = [
    'accounts',
    'transfers',
    'connections',
    'connection_runs',
    'proxies',
    'deposits',
    'top_up_receipts',
    'invoices',
    'replacements',
  ];
  beforeAll(async () => {
    for (const table of tables) await testApp.database.query(`create table healthy_${table} as table ${table}`);
  });
  beforeEach(async () => {
    for (const table of tables) {
      await change(`delete from ${table}`);
      await change(`insert into ${table} overriding system value select * from healthy_${table}`);
    }
    // Everything is recent.
    await change('update transfers set created_at = now() where charge_hash is null');
    await change('update connections set ended_at = now() where ended_at is not null');
    await change('update deposits set credited_at = now()');
    await forgetMark();
    await reconcile();
  });

  test.each(faults)('$name is detected: $rule', async ({ rule, plant, isFoundInWhole }) => {
    expect((await showReconciliation(testApp.ctx)).violations).toEqual([]);
    await plant();
    if (isFoundInWhole) await forgetMark();
    const { status, violations, violationCount } = await reconcile();
    expect(status).toBe('BROKEN');
    expect(violations).toEqual(expect.arrayContaining([expect.stringContaining(`${rule}: `)]));
    expect(violationCount).toBe(violations.length);
    expect(alarms).toEqual([expect.objectContaining({ count: violationCount })]);
    // Every check reports it until it is fixed.
    expect((await reconcile()).status).toBe('BROKEN');
    expect(await checkInvariants(testApp.ctx)).toEqual(expect.arrayContaining(violations));
  });

  test('in verified rows is found by the daily full check', async () => {
    await grow(1);
    expect((await reconcile()).status).toBe('OK');
    await change("update transfers set amount_micros = amount_micros + 1 where reason = 'TOP_UP'");
    expect((await reconcile()).status).toBe('OK');
    await testApp.database.query("update reconciliation set verified_whole_at = now() - interval '25 hours'");
    expect((await reconcile()).status).toBe('BROKEN');
  });

  test('is not reported for a transfer that was committed very late', async () => {
    await forgetMark();
    await reconcile();
    await grow(1);
    await reconcile();
    // Its id is below the mark, but it only becomes visible now.
    await change(
      `with late as (
         insert into transfers (id, idempotency_key, debit_account_id, credit_account_id, amount_micros, reason, created_at)
         overriding system value values (-1, 'late', 1, $1, 7, 'TOP_UP', now() - interval '2 hours') returning id
       ), moved as (update accounts set balance_micros = balance_micros + 7 where id = $1)
       update accounts set balance_micros = balance_micros - 7 where id = 1`,
      [user.accountId],
    );
    expect((await reconcile()).status).toBe('OK');
  });

  test('exists for each rule', async () => {
    const rules = new Set(faults.map((fault) => fault.rule));
    const { ledgerInvariants } = await import('../ledger/invariants.store.ts');
    const { connectionInvariants } = await import('../billing/invariants.store.ts');
    const { paymentInvariants } = await import('../invoices/invariants.store.ts');
    const all = [...ledgerInvariants, ...connectionInvariants, ...paymentInvariants].map(({ rule }) => rule);
    expect(all.filter((rule) => !rules.has(rule))).toEqual([]);
  });

  test('is only shown to staff who may read transactions', async () => {
    await change('update accounts set held_micros = held_micros + 1 where id = $1', [user.accountId]);
    await reconcile();
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    const { data } = await finance.call(getReconciliation, {});
    expect(data).toMatchObject({ status: 'BROKEN', violationCount: 1, checkedAt: expect.any(String) });
    expect(data.violations[0]).toContain(`account ${user.accountId} holds`);
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    for (const other of [user, support])
      await expect(other.call(getReconciliation, {})).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  test('is in the metrics, which require their token', async () => {
    const authorized = { authorization: `Bearer ${METRICS_TOKEN}` };
    const healthy = await readMetrics(authorized);
    expect(healthy.status).toBe(200);
    for (const line of [
      'reconciliation_ok 1',
      'reconciliation_violations 0',
      'connections_open 1',
      'held_money_dollars 0.04',
      'database_pool_connections{state="waiting"} 0',
    ])
      expect(healthy.text).toContain(`\n${line}\n`);
    expect(healthy.text).toMatch(/\nreconciliation_age_seconds \d/);
    expect(healthy.text).toMatch(/\nnodejs_eventloop_lag_seconds \d/);

    await change('update accounts set balance_micros = balance_micros + 1 where id = $1', [user.accountId]);
    await reconcile();
    expect((await readMetrics(authorized)).text).toContain('\nreconciliation_ok 0\n');
    for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[])
      expect(await readMetrics(headers)).toMatchObject({ status: 401 });
  });
});

test('the metrics do not exist in production without a token', async () => {
  const production = await startTestApp({ isDevelopment: false });
  try {
    expect((await fetch(`${production.url}/metrics`)).status).toBe(404);
  } finally {
    await production.stop();
  }
});
