/** @module-tag thorough */
import { connect, disconnect } from '@cellhop/contract/connections';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createProxy, createUser, topUp, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import type { Ctx } from '../../ctx.ts';
import { NOTHING_VERIFIED, type VerifiedMark } from '../../db/invariant.ts';
import { findSettledTransfer, updateStoredSums } from '../ledger/ledger.service.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { reconcileWhenDue, showReconciliation } from './reconciliation.service.ts';

/** More than one chunk of accounts, and more than one batch of entries for the two busiest accounts. */
const SMALL_ACCOUNTS = 3000;
const TRANSFERS = 45_000;

let testApp: TestApp;
let user: TestUser;
/** It has as many entries as the system account. */
let busyAccountId: bigint;
let someAccountId: bigint;

beforeAll(async () => {
  // The limits of fair use do not apply to this test.
  testApp = await startTestApp({ openConnectionsMax: 10_000, purchasesPerHour: 10_000, unusedReturnsPerHour: 10_000 });
  await registerNode(testApp.ctx);
  user = await createUser(testApp, { balanceMicros: 100_000_000n });
  await testApp.database.query(
    `with paid as (
       insert into accounts (kind, balance_micros) select 'USER', 7 from generate_series(1, $1::int) returning id
     ), posted as (
       insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, idempotency_key, created_at)
       select 1, id, 7, 'TOP_UP', 'small ' || id, now() - interval '1 hour' from paid
     ) update accounts set balance_micros = balance_micros - 7 * $1::int where id = 1`,
    [SMALL_ACCOUNTS],
  );
  const [busy] = await testApp.database.query<{ id: bigint }>(
    `insert into accounts (kind, balance_micros) values ('USER', 3 * $1::int) returning id`,
    [TRANSFERS],
  );
  busyAccountId = busy!.id;
  someAccountId = busyAccountId - 1000n;
  await testApp.database.query(
    `with posted as (
       insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, idempotency_key, created_at)
       select 1, $2, 3, 'TOP_UP', 'busy ' || n, now() - interval '1 hour' from generate_series(1, $1::int) as n
     ) update accounts set balance_micros = balance_micros - 3 * $1::int where id = 1`,
    [TRANSFERS, busyAccountId],
  );
  await testApp.database.query('analyze');
});
afterAll(() => testApp.stop());
afterEach(() => vi.restoreAllMocks());

/** The mark of everything up to a minute ago. */
async function verifiedMark(): Promise<VerifiedMark> {
  return { transferId: await findSettledTransfer(testApp.ctx), until: new Date(Date.now() - 60_000) };
}

const checks = [
  { name: 'everything', mark: async () => NOTHING_VERIFIED },
  { name: 'what is new', mark: verifiedMark },
];

describe.each(checks)('a check of $name', ({ mark }) => {
  test('holds no lock between statements, so a table can be altered meanwhile', async () => {
    let altered = 0;
    const violations = await checkInvariants(testApp.ctx, await mark(), async () => {
      if (altered >= 20) return;
      await testApp.database.transaction(async (db) => {
        await db.query(`set local lock_timeout = '1s'`);
        for (const table of ['accounts', 'transfers', 'connections'])
          await db.query(`alter table ${table} alter column id set statistics ${100 + (altered % 2)}`);
      });
      altered += 1;
    });
    expect(violations).toEqual([]);
    expect(altered).toBe(20);
  });

  test('finds no violation while money moves between its statements', async () => {
    let steps = 0;
    const violations = await checkInvariants(testApp.ctx, await mark(), async () => {
      steps += 1;
      await topUp(testApp, busyAccountId, 11n);
      await topUp(testApp, someAccountId, 11n);
      if (steps % 5 > 0) return;
      const id = await createProxy(testApp);
      const { data } = await user.call(connect, { body: { id, price: 0.8 } });
      if (steps % 10 === 0) await user.call(disconnect, { params: { id: data.id } });
    });
    expect(violations).toEqual([]);
    expect(steps).toBeGreaterThan(15);
  });

  test('finds no violation with concurrent purchases and checks', async () => {
    const closing = new AbortController();
    const shopping = Array.from({ length: 3 }, async () => {
      while (!closing.signal.aborted) {
        const { data } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
        await topUp(testApp, busyAccountId, 5n);
        await user.call(disconnect, { params: { id: data.id } });
      }
    });
    const from = await mark();
    const found = await Promise.all([1, 2, 3].map(() => checkInvariants(testApp.ctx, from)));
    closing.abort();
    await Promise.all(shopping);
    expect(found).toEqual([[], [], []]);
  });

  test('finds a wrong balance, of an account with few entries and of one with many', async () => {
    for (const accountId of [someAccountId, busyAccountId]) {
      const shift = (micros: number) =>
        testApp.database.query('update accounts set balance_micros = balance_micros + $2::int where id = $1', [
          accountId,
          micros,
        ]);
      await shift(1);
      const found = await checkInvariants(testApp.ctx, await mark());
      await shift(-1);
      expect(found).toEqual([
        'all balances together are zero: the sum is 1',
        expect.stringContaining(`each balance is the sum of its entries: account ${accountId} has`),
      ]);
    }
    expect(await checkInvariants(testApp.ctx, await mark())).toEqual([]);
  });
});

const forget = async () => {
  await testApp.database.query('delete from account_sums');
  await testApp.database.query('update account_sums_mark set transfer_id = 0');
};
const readWrong = () =>
  testApp.database.query(
    `select account_id, micros, exact
       from account_sums
       full join (select account_id, sum(amount_micros)::bigint as exact from entries
                   where transfer_id <= (select transfer_id from account_sums_mark)
                   group by account_id having sum(amount_micros) <> 0) as added using (account_id)
      where micros is distinct from exact`,
  );

describe('stored sums', () => {
  test('are added once by concurrent checks', async () => {
    await forget();
    const upTo = await findSettledTransfer(testApp.ctx);
    await Promise.all([1, 2, 3, 4].map(() => updateStoredSums(testApp.ctx, upTo)));
    await updateStoredSums(testApp.ctx, upTo);
    expect(await testApp.database.query('select transfer_id as mark from account_sums_mark')).toEqual([{ mark: upTo }]);
    expect(await readWrong()).toEqual([]);
  });

  test('continue where a crashed process stopped', async () => {
    await forget();
    const upTo = await findSettledTransfer(testApp.ctx);
    let steps = 0;
    const dies = async () => {
      steps += 1;
      if (steps === 3) throw new Error('killed');
    };
    await expect(updateStoredSums(testApp.ctx, upTo, dies)).rejects.toThrow('killed');
    expect(await readWrong()).toEqual([]);
    await updateStoredSums(testApp.ctx, upTo);
    expect(await readWrong()).toEqual([]);
  });

  test('that are wrong cause no alarm and are corrected', async () => {
    await updateStoredSums(testApp.ctx, await findSettledTransfer(testApp.ctx));
    await testApp.database.query('update account_sums set micros = micros + 9 where account_id = any($1)', [
      [busyAccountId, someAccountId],
    ]);
    expect(await checkInvariants(testApp.ctx, await verifiedMark())).toEqual([]);
    expect(await readWrong()).toEqual([]);
  });
});

const age = (sql: string) => testApp.database.query(`update reconciliation set ${sql}`);

function withResolver() {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** A worker that pauses before its first rule, like a suspended machine. */
function pausedWorker() {
  const gate = withResolver();
  const reached = withResolver();
  const ctx: Ctx = {
    ...testApp.ctx,
    db: {
      query: async (text, values, options) => {
        if (text.includes('the sum is')) {
          reached.resolve();
          await gate.promise;
        }
        return testApp.ctx.db.query(text, values, options);
      },
    },
  };
  return { ctx, reached: reached.promise, resume: gate.resolve };
}

describe('concurrent workers', () => {
  test('run one check at a time, however long it takes', async () => {
    await age('claimed_at = null, checked_at = null, lease_id = null, leased_until = null');
    const first = pausedWorker();
    const running = reconcileWhenDue(first.ctx);
    await first.reached;
    await age("claimed_at = now() - interval '1 hour'");
    await reconcileWhenDue(testApp.ctx);
    expect((await showReconciliation(testApp.ctx)).status).toBe('NEVER_RUN');
    first.resume();
    await running;
    expect((await showReconciliation(testApp.ctx)).status).toBe('OK');
  });

  test('are replaced if they do not renew their lease, and their late result is discarded', async () => {
    await age('claimed_at = null, checked_at = null');
    const first = pausedWorker();
    const running = reconcileWhenDue(first.ctx);
    await first.reached;
    await age("claimed_at = now() - interval '1 hour', leased_until = now() - interval '1 second'");
    await reconcileWhenDue(testApp.ctx);
    const { checkedAt, status } = await showReconciliation(testApp.ctx);
    expect(status).toBe('OK');
    first.resume();
    await expect(running).rejects.toThrow('another worker has taken this check over');
    expect((await showReconciliation(testApp.ctx)).checkedAt).toBe(checkedAt);
  });

  test('renew the lease while they work, and stop when it is lost', async () => {
    await age('claimed_at = null');
    let now = performance.now();
    // Each reading of the clock advances eleven seconds, so the lease is renewed at each step.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 11_000));
    const first = pausedWorker();
    const running = reconcileWhenDue(first.ctx);
    await first.reached;
    await age("lease_id = gen_random_uuid(), leased_until = now() - interval '1 hour'");
    first.resume();
    await expect(running).rejects.toThrow('another worker has taken this check over');
    await age('lease_id = null, leased_until = null, claimed_at = null');
    const healthy = pausedWorker();
    const second = reconcileWhenDue(healthy.ctx);
    await healthy.reached;
    await age("leased_until = now() - interval '1 hour', verified_whole_at = now()");
    clock.mockImplementation(() => (now += 1));
    healthy.resume();
    await second;
    expect(await testApp.database.query('select lease_id, leased_until from reconciliation')).toEqual([
      { lease_id: null, leased_until: null },
    ]);
  });
});
