import { connect } from '@cellhop/contract/connections';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { NOTHING_VERIFIED } from '../../db/invariant.ts';
import { ledgerInvariants } from './invariants.store.ts';
import * as ledger from './ledger.service.ts';
import { scaled } from '../../../../tools/test-scale.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const { external, revenue } = ledger.systemAccounts;
let keyCount = 0;

function transfer(
  debitAccountId: bigint,
  creditAccountId: bigint,
  amountMicros: bigint,
  key?: string,
): ledger.Transfer {
  keyCount += 1;
  const idempotencyKey = key ?? `test:${keyCount}`;
  return { idempotencyKey, debitAccountId, creditAccountId, amountMicros, reason: 'TOP_UP' };
}

async function findBrokenInvariants(): Promise<string[]> {
  const check = { verified: NOTHING_VERIFIED, isFull: true, step: async () => {} };
  const broken = await Promise.all(ledgerInvariants.map(({ findBroken }) => findBroken(testApp.ctx, check)));
  return broken.flat();
}

const post = (...transfers: ledger.Transfer[]) => testApp.ctx.tx((ctx) => ledger.post(ctx, transfers));
const openUser = () => ledger.openAccount(testApp.ctx);
const balance = async (id: bigint) => (await ledger.readBalance(testApp.ctx, id)).balanceMicros;

describe('post', () => {
  test('moves the same amount out of one account and into another', async () => {
    const user = await openUser();
    const before = await balance(external);
    await post(transfer(external, user, 5_000_000n));
    expect(await balance(user)).toBe(5_000_000n);
    expect(await balance(external)).toBe(before - 5_000_000n);
  });

  test('posts an idempotency key once, also concurrently', async () => {
    const user = await openUser();
    const same = () => post(transfer(external, user, 7n, `once:${user}`));
    expect((await same()).size).toBe(1);
    expect((await same()).size).toBe(0);
    const racing = `racing:${user}`;
    const results = await Promise.all(Array.from({ length: 10 }, () => post(transfer(external, user, 100n, racing))));
    expect(results.filter((posted) => posted.size === 1)).toHaveLength(1);
    expect(await balance(user)).toBe(107n);
  });

  test('refuses a negative balance of a customer and rolls the whole transaction back', async () => {
    const [payer, receiver] = [await openUser(), await openUser()];
    await post(transfer(external, payer, 100n));
    await expect(post(transfer(payer, receiver, 60n), transfer(payer, receiver, 60n))).rejects.toMatchObject({
      code: 'SMALL_BALANCE',
    });
    expect([await balance(payer), await balance(receiver)]).toEqual([100n, 0n]);
  });

  test('held money cannot be spent', async () => {
    const user = await openUser();
    await post(transfer(external, user, 100n));
    await hold(user, 80n);
    await expect(post(transfer(user, revenue, 21n))).rejects.toMatchObject({ code: 'SMALL_BALANCE' });
    await post(transfer(user, revenue, 20n));
    await expect(hold(user, 1n)).rejects.toMatchObject({ constraint: 'customer_not_negative' });
  });
});

const hold = (user: bigint, micros: bigint) =>
  testApp.database.query('update accounts set held_micros = held_micros + $2 where id = $1', [user, micros]);

describe('release', () => {
  test('releases held money, but never more than is held', async () => {
    const user = await openUser();
    await post(transfer(external, user, 100n));
    await hold(user, 80n);
    const release = (micros: bigint) => testApp.ctx.tx((ctx) => ledger.release(ctx, user, micros));
    await release(50n);
    expect(await ledger.readBalance(testApp.ctx, user)).toMatchObject({ balanceMicros: 100n, heldMicros: 30n });
    await expect(release(31n)).rejects.toMatchObject({ constraint: 'held_not_negative' });
  });
});

describe('refund', () => {
  test('moves the price of the megabytes from the escrow account to the payer, once', async () => {
    const user = await createUser(testApp, { balanceMicros: 1_000_000n });
    const { data: connection } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    const refund = (from: bigint, to: bigint) =>
      testApp.ctx.tx((ctx) =>
        ledger.refund(ctx, { connectionId: connection.id, payerAccountId: user.accountId, megabytes: { from, to } }),
      );
    const escrowOf = async () =>
      (
        await testApp.database.query('select escrow_micros, charge_count from connections where id = $1', [
          connection.id,
        ])
      )[0];
    expect([await balance(user.accountId), await escrowOf()]).toEqual([
      600_000n,
      { escrow_micros: 400_000n, charge_count: 1 },
    ]);
    await refund(2n, 50n);
    expect([await balance(user.accountId), await escrowOf()]).toEqual([
      984_000n,
      { escrow_micros: 16_000n, charge_count: 2 },
    ]);
    await expect(refund(1n, 2n)).rejects.toMatchObject({ constraint: 'transfers_idempotency' });
    expect(await findBrokenInvariants()).toEqual([]);
  });

  test('never exceeds the balance of the escrow account', async () => {
    const user = await createUser(testApp, { balanceMicros: 1_000_000n });
    const { data: connection } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    const refund = testApp.ctx.tx((ctx) =>
      ledger.refund(ctx, {
        connectionId: connection.id,
        payerAccountId: user.accountId,
        megabytes: { from: 0n, to: 51n },
      }),
    );
    await expect(refund).rejects.toMatchObject({ constraint: 'escrow_not_negative' });
    expect(await balance(user.accountId)).toBe(600_000n);
  });
});

describe('an account that does not exist', () => {
  test('can neither be credited nor refunded', async () => {
    await expect(post(transfer(external, 999_999_999n, 1n))).rejects.toThrow('does not exist');
    await expect(ledger.release(testApp.ctx, 999_999_999n, 1n)).rejects.toThrow('does not exist');
    const refund = { connectionId: randomUUID(), payerAccountId: 1n, megabytes: { from: 0n, to: 1n } };
    await expect(ledger.refund(testApp.ctx, refund)).rejects.toThrow('does not exist');
  });
});

describe('the database itself', () => {
  test('refuses a negative balance of a customer by any statement', async () => {
    const user = await openUser();
    const write = testApp.database.query('update accounts set balance_micros = -1 where id = $1', [user]);
    await expect(write).rejects.toMatchObject({ constraint: 'customer_not_negative' });
  });

  test.each(['update transfers set amount_micros = 1', 'delete from transfers', 'truncate transfers'])(
    'refuses: %s',
    async (statement) => {
      await post(transfer(external, await openUser(), 1n));
      await expect(testApp.database.query(statement)).rejects.toThrow('transfers is append-only');
    },
  );
});

/** The model: balances in a Map, lists of transfers are atomic, known keys are ignored. */
class Model {
  readonly balances = new Map<number, bigint>();
  readonly keys = new Set<number>();

  /** @returns whether the list is accepted */
  post(transfers: readonly { key: number; from: number; to: number; amount: bigint }[]): boolean {
    const balances = new Map(this.balances);
    const keys = new Set(this.keys);
    for (const { key, from, to, amount } of transfers) {
      if (keys.has(key)) continue;
      keys.add(key);
      balances.set(from, (balances.get(from) ?? 0n) - amount);
      balances.set(to, (balances.get(to) ?? 0n) + amount);
    }
    if ([...balances].some(([account, micros]) => account > 0 && micros < 0n)) return false;
    for (const [account, micros] of balances) this.balances.set(account, micros);
    for (const key of keys) this.keys.add(key);
    return true;
  }
}

test('agrees with the model for any lists of transfers, sequential or concurrent', { tags: ['long'] }, async () => {
  const list = fc.array(
    fc.record({
      key: fc.nat(60),
      from: fc.nat(4),
      to: fc.nat(4),
      amount: fc.bigInt({ min: 1n, max: 1000n }),
    }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(list, { maxLength: 12 }), async (lists) => {
      const users = await Promise.all(Array.from({ length: 4 }, openUser));
      // 0 is the external account, which may be negative; the others are customers.
      const accounts = [external, ...users];
      const model = new Model();
      keyCount += 1;
      const tag = `model:${keyCount}`;
      for (const transfers of lists) {
        const distinct = transfers.filter(({ from, to }) => from !== to);
        const accepted = await post(
          ...distinct.map(({ key, from, to, amount }) =>
            transfer(accounts[from]!, accounts[to]!, amount, `${tag}:${key}`),
          ),
        ).then(
          () => true,
          () => false,
        );
        expect(accepted).toBe(model.post(distinct));
      }
      for (const [index, id] of users.entries()) expect(await balance(id)).toBe(model.balances.get(index + 1) ?? 0n);
      expect(await findBrokenInvariants()).toEqual([]);
    }),
    { numRuns: scaled(8, 25) },
  );
});

test('opposite concurrent transfers do not deadlock', async () => {
  const [a, b] = [await openUser(), await openUser()];
  await post(transfer(external, a, 1000n), transfer(external, b, 1000n));
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => post(index % 2 === 0 ? transfer(a, b, 1n) : transfer(b, a, 1n))),
  );
  expect([await balance(a), await balance(b)]).toEqual([1000n, 1000n]);
  const [stats] = await testApp.database.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  expect(stats?.deadlocks).toBe(0n);
});

test('the definition of a charge does not depend on the order of the enum values', async () => {
  await testApp.database.query("alter type transfer_reason add value 'FEE' before 'MEGABYTE'");
  const insert = (reason: string) =>
    testApp.database.query(
      `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
       values ($1, 1, 2, 1, $2)`,
      [`order:${reason}`, reason],
    );
  await expect(insert('FEE')).resolves.toEqual([]);
  await expect(insert('MEGABYTE')).rejects.toMatchObject({ code: '23514' });
  await expect(insert('REFUND')).rejects.toMatchObject({ constraint: 'charge_is_chained' });
});
