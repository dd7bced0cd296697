import { connect, disconnect } from '@cellhop/contract/connections';
import { listTransactions, exportTransactions } from '@cellhop/contract/transactions';
import { transactionKinds, type TransactionKind } from '@cellhop/contract/transactions.values';
import { toDollars, toDollarText, toMicros } from '@cellhop/contract/units';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, createProxy, createUser, topUp, type TestUser } from '../../../test/factories.ts';
import { newInvoice, pay } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { trialTransfer } from '../referrals/referrals.service.ts';
import { CSV_HEADER, maskEmail } from './transactions-presenter.ts';
import { listTransactions as list, writeCsv, type Filter } from './transactions.service.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const DOLLAR = 1_000_000n;
const { bonus } = ledger.systemAccounts;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const ownRows = async (user: TestUser, query = {}) => (await user.call(listTransactions, { query })).data;

/** The fields of each line; the fields in these tests contain neither line breaks nor quotes. */
function parseCsv(text: string): string[][] {
  expect(text.startsWith(CSV_HEADER)).toBe(true);
  expect(text.endsWith('\r\n')).toBe(true);
  return text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(','));
}

const toMicrosFromText = (text: string) => BigInt(text.replace('.', ''));

async function readCsv(user: TestUser, filter: Filter = {}): Promise<string[][]> {
  let text = '';
  for await (const chunk of writeCsv(testApp.ctx, actorOf(user), filter)) text += chunk;
  return parseCsv(text);
}

function actorOf({ id, accountId }: TestUser) {
  const permissions = new Set<never>();
  return { userId: id, sessionId: id, accountId, languageCode: 'en', permissions, isSecondFactorDue: false } as const;
}

/** Inserts an entry of a customer like the ledger, but with a given date. */
async function post(accountId: bigint, kind: TransactionKind, micros: bigint, createdAt: Date): Promise<void> {
  const isPaid = micros < 0n;
  const other = isPaid || kind === 'REFUND' ? await ledger.openAccount(testApp.ctx) : bonus;
  await testApp.database.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    await db.query(
      `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason, created_at,
                              megabyte_from, megabyte_to, uploaded_bytes, downloaded_bytes, charge_hash)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6::bigint, $6::bigint + 1, $7, $7, $8)`,
      [
        isPaid ? accountId : other,
        isPaid ? other : accountId,
        isPaid ? -micros : micros,
        kind,
        createdAt,
        isPaid ? 0n : null,
        other === bonus ? null : 0n,
        other === bonus ? null : Buffer.alloc(32),
      ],
    );
    await db.query('update accounts set balance_micros = balance_micros + $2 where id = $1', [accountId, micros]);
  });
}

describe('a row', () => {
  test('of a purchase, its refund and its top-up names the proxy and the invoice', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user, 'USDT_ERC20', 25);
    await pay(testApp, invoice);
    const { data: connection } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    await user.call(disconnect, { params: { id: connection.id } });
    const subject = { kind: 'CONNECTION', id: connection.id, label: connection.ip };
    expect(await ownRows(user)).toEqual([
      expect.objectContaining({ kind: 'REFUND', amount: 0.4, balanceAfter: 25, subject }),
      expect.objectContaining({ kind: 'PREPAID_50_MB', amount: -0.4, balanceAfter: 24.6, subject }),
      expect.objectContaining({
        kind: 'TOP_UP',
        amount: 25,
        balanceAfter: 25,
        subject: { kind: 'INVOICE', id: invoice.id, label: 'USDT_ERC20' },
      }),
    ]);
  });

  test('of a referral bonus shows the referral with a masked address', async () => {
    const referrer = await createUser(testApp);
    const friend = await createUser(testApp, { referrerId: referrer.id });
    const first = await newInvoice(friend);
    await pay(testApp, first);
    await testApp.database.query(
      `update referral_payments set paid_at = date_trunc('month', now(), 'UTC') - interval '1 second' where invoice_id = $1`,
      [first.id],
    );
    await pay(testApp, await newInvoice(friend));
    const [row] = await ownRows(referrer);
    expect(row).toMatchObject({
      kind: 'REFERRAL_BONUS',
      amount: 2.5,
      balanceAfter: 2.5,
      subject: { kind: 'REFERRAL', id: friend.id, label: maskEmail(friend.email) },
    });
    expect(JSON.stringify(row)).not.toContain(friend.email);
  });

  test('of a trial credit names the promo code', async () => {
    const user = await createUser(testApp);
    const [code] = await testApp.database.query<{ id: string }>(
      `insert into promo_codes (code, user_id, trial_credit_micros) values ('HELLO', $1, 1000000) returning id`,
      [user.id],
    );
    await testApp.database.query('update users set promo_code_id = $2 where id = $1', [user.id, code!.id]);
    const trial = await trialTransfer(testApp.ctx, user.id, user.accountId, async () => true);
    await testApp.ctx.tx((ctx) => ledger.post(ctx, [trial!]));
    expect(await ownRows(user)).toEqual([
      expect.objectContaining({ kind: 'TRIAL', subject: { kind: 'PROMO_CODE', id: code!.id, label: 'HELLO' } }),
    ]);
  });

  test('of money without an invoice has no subject', async () => {
    const user = await createUser(testApp, { balanceMicros: 5n });
    expect(await ownRows(user)).toEqual([expect.objectContaining({ amount: 0.000005, subject: null })]);
  });
});

describe('the list', () => {
  test("only contains the user's own rows", async () => {
    const [user, other] = [await createUser(testApp), await createUser(testApp, { balanceMicros: DOLLAR })];
    expect(await user.call(listTransactions, { query: {} })).toEqual({ data: [], totalPages: 0 });
    expect(await ownRows(other)).toHaveLength(1);
  });

  test.each([
    { kind: 'SETTLE' },
    { from: 'yesterday' },
    { from: '2026-02-30T00:00:00Z' },
    { page: 0 },
    { size: 101 },
    { account: '1' },
  ])('refuses %j', async (query) => {
    const user = await createUser(testApp);
    await expect(user.call(listTransactions, { query: query as never })).rejects.toMatchObject({
      status: 400,
      code: 'VALIDATION',
    });
  });

  test('accepts any valid date, the year 0 included', async () => {
    const user = await createUser(testApp, { balanceMicros: DOLLAR });
    expect(await ownRows(user, { from: '0000-01-01T00:00:00Z' })).toHaveLength(1);
    expect(await ownRows(user, { to: '0000-01-01T00:00:00Z' })).toHaveLength(0);
  });
});

interface Expected {
  kind: TransactionKind;
  micros: bigint;
  balanceAfter: bigint;
  createdAt: Date;
}

/** A simple model: computes the balance from the oldest entry on. */
function oracle(history: readonly Omit<Expected, 'balanceAfter'>[], filter: Filter): Expected[] {
  let balance = 0n;
  const all = history.map((entry) => {
    balance += entry.micros;
    return { ...entry, balanceAfter: balance };
  });
  return all
    .filter(({ kind }) => !filter.kind || filter.kind.includes(kind))
    .filter(({ createdAt }) => !filter.from || createdAt >= new Date(filter.from))
    .filter(({ createdAt }) => !filter.to || createdAt < new Date(filter.to))
    .toReversed();
}

const kinds = transactionKinds;
const paidKinds: ReadonlySet<TransactionKind> = new Set(['PREPAID_50_MB', 'MEGABYTE']);
// Few distinct seconds, so that bounds often match a row; not in the order of the ids, as after waiting for a lock.
const dates = fc.nat(6).map((second) => new Date(Date.UTC(2026, 0, 31, 23, 59, 57 + second)));
const histories = fc
  .array(fc.record({ kind: fc.constantFrom(...kinds), size: fc.bigInt(1n, 10_000_000n), createdAt: dates }), {
    maxLength: 25,
  })
  .map((entries) => {
    let balance = 0n;
    return entries.flatMap(({ kind, size, createdAt }) => {
      const micros = !paidKinds.has(kind) ? size : -(size < balance ? size : balance);
      balance += micros;
      return micros === 0n ? [] : [{ kind, micros, createdAt }];
    });
  });
const filters = fc
  .record(
    { kind: fc.uniqueArray(fc.constantFrom(...kinds), { minLength: 1 }), from: dates, to: dates },
    { requiredKeys: [] },
  )
  .map(({ kind, from, to }): Filter => ({ kind, from: from?.toISOString(), to: to?.toISOString() }));

test('list and CSV agree with the model for every history, filter and page size', { tags: ['long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.array(fc.tuple(filters, fc.integer({ min: 1, max: 7 })), { minLength: 4, maxLength: 4 }),
      async (history, questions) => {
        const accountId = await ledger.openAccount(testApp.ctx);
        const user = { id: '', accountId } as TestUser;
        for (const { kind, micros, createdAt } of history) await post(accountId, kind, micros, createdAt);
        for (const [filter, size] of questions) {
          const expected = oracle(history, filter);
          const rows: Awaited<ReturnType<typeof list>>['data'] = [];
          const totalPages = Math.ceil(expected.length / size);
          for (let page = 1; page <= totalPages + 1; page++) {
            const answer = await list(testApp.ctx, actorOf(user), { ...filter, page, size });
            expect(answer.totalPages).toBe(totalPages);
            rows.push(...answer.data);
          }
          const simple = rows.map(({ kind, amount, balanceAfter, createdAt }) => [
            kind,
            amount,
            balanceAfter,
            createdAt,
          ]);
          expect(simple).toEqual(
            expected.map((row) => [
              row.kind,
              toDollars(row.micros),
              toDollars(row.balanceAfter),
              row.createdAt.toISOString(),
            ]),
          );
          const lines = await readCsv(user, filter);
          expect(lines.map(([, createdAt, kind, amount, after]) => [createdAt, kind, amount, after])).toEqual(
            expected.map((row) => [
              row.createdAt.toISOString(),
              row.kind,
              toDollarText(row.micros),
              toDollarText(row.balanceAfter),
            ]),
          );
        }
        const everything = await readCsv(user);
        const sum = everything.reduce((total, [, , , amount]) => total + toMicrosFromText(amount!), 0n);
        expect(sum).toBe((await ledger.readBalance(testApp.ctx, accountId)).balanceMicros);
      },
    ),
    { numRuns: scaled(4, 30) },
  );
});

describe('a history of 5,000 transfers', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await createUser(testApp);
    await testApp.database.query(
      `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
       select 'long:' || n, 1, $1, n, (case when n % 1000 = 0 then 'TRIAL' else 'TOP_UP' end)::transfer_reason
         from generate_series(1, 5000) as n`,
      [user.accountId],
    );
    const total = (5000n * 5001n) / 2n;
    await testApp.database.query('update accounts set balance_micros = balance_micros + $2 where id = $1', [
      user.accountId,
      total,
    ]);
    await testApp.database.query('update accounts set balance_micros = balance_micros - $1 where id = 1', [total]);
  });

  test('is exported completely in several batches, and adds up to the balance', async () => {
    const lines = await readCsv(user);
    expect(lines).toHaveLength(5000);
    const sum = lines.reduce((total, [, , , amount]) => total + toMicrosFromText(amount!), 0n);
    expect(sum).toBe(await balanceOf(testApp, user));
    // The balance of each row is that of the row below plus its own amount.
    const broken = lines.filter(
      ([, , , amount, after], index) =>
        toMicrosFromText(after!) !== toMicrosFromText(lines[index + 1]?.[4] ?? '0.000000') + toMicrosFromText(amount!),
    );
    expect(broken).toEqual([]);
  });

  test('is compressed as a list, but not as an export: a failure before its first bytes would be unreadable', async () => {
    const list = await fetch(`${testApp.url}${listTransactions.url}`, { headers: user.headers });
    expect(list.headers.get('content-encoding')).toMatch(/^(?:br|gzip)$/);
    expect((await download(user)).headers.get('content-encoding')).toBeNull();
  });

  test('stays exact on its last page and with a filter that shows one row in a thousand', async () => {
    const last = await user.call(listTransactions, { query: { page: 50, size: 100 } });
    expect(last.totalPages).toBe(50);
    expect(last.data.at(-1)).toMatchObject({ amount: 0.000001, balanceAfter: 0.000001 });
    const trials = await ownRows(user, { kind: ['TRIAL'] });
    expect(trials.map((row) => toMicros(row.balanceAfter))).toEqual(
      [5000n, 4000n, 3000n, 2000n, 1000n].map((n) => (n * (n + 1n)) / 2n),
    );
  });

  test('is exported consistently while money moves', async () => {
    const chunks = writeCsv(testApp.ctx, actorOf(user), {});
    const before = toDollarText(await balanceOf(testApp, user));
    let text = '';
    for await (const chunk of chunks) {
      text += chunk;
      if (text.length > CSV_HEADER.length) await topUp(testApp, user.accountId, 7n);
    }
    const lines = parseCsv(text);
    expect(lines).toHaveLength(5000);
    expect([lines[0]![4], lines.at(-1)![4]]).toEqual([before, '0.000001']);
  });
});

describe('an export of an old range of a long history', () => {
  const MINUTE_MS = 60_000;
  const now = Date.now();
  const minutesAgo = (minutes: number) => new Date(now - minutes * MINUTE_MS).toISOString();
  let accountId: bigint;
  beforeAll(async () => {
    accountId = await ledger.openAccount(testApp.ctx);
    // One per minute; the one of 1,005 minutes ago waited 20 minutes for its lock.
    await testApp.database.query(
      `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason, created_at)
       select 'late:' || n, 1, $1, 1, 'TOP_UP',
              $2::timestamptz - make_interval(mins => case n when 1005 then 985 else n end)
         from generate_series(5000, 1, -1) as n`,
      [accountId, minutesAgo(0)],
    );
    await testApp.database.query('update accounts set balance_micros = 5000 where id = $1', [accountId]);
  });

  /** @returns how many entries of the history were read for how many lines */
  async function exportFrom(from: string) {
    let read = 0;
    const counting: Ctx = {
      ...testApp.ctx,
      db: {
        query: async <Row>(...query: Parameters<Ctx['db']['query']>) => {
          const rows = await testApp.database.query<Row>(...query);
          read += rows.length;
          return rows;
        },
      },
    };
    let text = '';
    for await (const chunk of writeCsv(counting, actorOf({ id: '', accountId } as TestUser), { from })) text += chunk;
    return { read, lines: parseCsv(text) };
  }

  test('does not read entries long before its range', async () => {
    const { read, lines } = await exportFrom(minutesAgo(100));
    expect(lines).toHaveLength(100);
    expect(lines.at(-1)![4]).toBe('0.004901');
    expect(read).toBe(1000);
  });

  test('contains an entry that is out of order because it waited for a lock', async () => {
    const { read, lines } = await exportFrom(minutesAgo(990));
    expect(lines).toHaveLength(991);
    expect(lines.at(-1)![1]).toBe(minutesAgo(985));
    expect(read).toBe(2000);
  });
});

const download = (user: TestUser, query = '') =>
  fetch(`${testApp.url}${exportTransactions.url}${query}`, { headers: user.headers });

describe('the export', () => {
  test("is a CSV file with a name, the user's own rows, and the filter of the list", async () => {
    const user = await createUser(testApp, { balanceMicros: 3n * DOLLAR });
    await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    const response = await download(user);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="transactions-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const lines = parseCsv(await response.text());
    expect(lines.map(([, , kind, amount, after]) => [kind, amount, after])).toEqual([
      ['PREPAID_50_MB', '-0.400000', '2.600000'],
      ['TOP_UP', '3.000000', '3.000000'],
    ]);
    const filtered = parseCsv(await (await download(user, '?kind=TOP_UP')).text());
    expect(filtered).toHaveLength(1);
    const other = await createUser(testApp);
    expect(await (await download(other)).text()).toBe(CSV_HEADER);
  });

  test('refuses requests without a token and invalid filters with the usual errors', async () => {
    expect((await fetch(`${testApp.url}${exportTransactions.url}`)).status).toBe(401);
    const refused = await download(await createUser(testApp), '?kind=MONEY');
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'VALIDATION']);
  });
});

test.each([
  ['anna@example.com', 'a***@example.com'],
  ['a@example.com', 'a***@example.com'],
  ['"odd@name"@example.com', '"***@example.com'],
])('masks %s as %s', (email, masked) => {
  expect(maskEmail(email)).toBe(masked);
});
