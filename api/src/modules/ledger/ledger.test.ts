import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import * as ledger from './ledger.service.ts';

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

const post = (...transfers: ledger.Transfer[]) => testApp.ctx.tx((ctx) => ledger.post(ctx, transfers));
const openUser = () => ledger.openAccount(testApp.ctx, 'USER');
const balance = async (id: bigint) => (await ledger.readBalance(testApp.ctx, id)).balanceMicros;

describe('post', () => {
  test('moves the same amount out of one account and into another', async () => {
    const user = await openUser();
    const before = await balance(external);
    await post(transfer(external, user, 5_000_000n));
    expect(await balance(user)).toBe(5_000_000n);
    expect(await balance(external)).toBe(before - 5_000_000n);
  });

  test('posts an idempotency key once, in a row and at the same time', async () => {
    const user = await openUser();
    const same = () => post(transfer(external, user, 7n, `once:${user}`));
    expect((await same()).size).toBe(1);
    expect((await same()).size).toBe(0);
    const racing = `racing:${user}`;
    const results = await Promise.all(Array.from({ length: 10 }, () => post(transfer(external, user, 100n, racing))));
    expect(results.filter((posted) => posted.size === 1)).toHaveLength(1);
    expect(await balance(user)).toBe(107n);
  });

  test('refuses to take a customer below zero and undoes the whole transaction', async () => {
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
    await expect(hold(user, 1n)).rejects.toMatchObject({ code: 'SMALL_BALANCE' });
  });
});

const hold = (user: bigint, micros: bigint) =>
  testApp.ctx.tx((ctx) => ledger.charge(ctx, [], new Map([[user, micros]])));

/** A user with money and the escrow account of a connection of his. */
async function openEscrow(micros: bigint) {
  const [user, escrow] = [await openUser(), await ledger.openAccount(testApp.ctx, 'ESCROW')];
  await post(transfer(external, user, micros));
  const connectionId = randomUUID();
  const charge = (
    kind: 'MEGABYTE' | 'REFUND',
    from: bigint,
    to: bigint,
    counted = { usedBytes: 9n, uploadedBytes: 4n },
    holds = new Map<bigint, bigint>(),
  ) =>
    testApp.ctx.tx((ctx) =>
      ledger.charge(
        ctx,
        [
          {
            kind,
            connectionId,
            payerAccountId: user,
            escrowAccountId: escrow,
            megabytes: { from, to },
            megabytePriceMicros: 10n,
            ...counted,
          },
        ],
        holds,
      ),
    );
  return { user, escrow, charge };
}

describe('charge', () => {
  test('moves the price of the megabytes, what is held for them, and back again', async () => {
    const { user, escrow, charge } = await openEscrow(1000n);
    await hold(user, 20n);
    await charge('MEGABYTE', 50n, 52n, undefined, new Map([[user, -20n]]));
    expect(await ledger.readBalance(testApp.ctx, user)).toMatchObject({ balanceMicros: 980n, heldMicros: 0n });
    expect(await balance(escrow)).toBe(20n);
    await charge('REFUND', 51n, 52n);
    expect([await balance(user), await balance(escrow)]).toEqual([990n, 10n]);
  });

  test('refuses what the payer does not have, and moves nothing', async () => {
    const { user, charge } = await openEscrow(19n);
    await expect(charge('MEGABYTE', 50n, 52n)).rejects.toMatchObject({ code: 'SMALL_BALANCE' });
    expect(await balance(user)).toBe(19n);
  });

  test('refuses to charge the same megabyte of a connection twice', async () => {
    const { user, charge } = await openEscrow(1000n);
    await charge('MEGABYTE', 50n, 51n);
    await expect(charge('MEGABYTE', 50n, 52n)).rejects.toMatchObject({ constraint: 'transfers_megabyte' });
    expect(await balance(user)).toBe(990n);
  });
});

describe('an account that does not exist', () => {
  test('is neither paid nor charged', async () => {
    const nowhere = 999_999_999n;
    const { user, escrow } = await openEscrow(100n);
    await expect(post(transfer(external, nowhere, 1n))).rejects.toThrow('does not exist');
    await expect(hold(nowhere, 1n)).rejects.toThrow('do not exist');
    const charge = {
      kind: 'MEGABYTE',
      connectionId: randomUUID(),
      megabytes: { from: 0n, to: 1n },
      megabytePriceMicros: 10n,
      usedBytes: 1n,
      uploadedBytes: 0n,
    } as const;
    for (const accounts of [
      { payerAccountId: nowhere, escrowAccountId: escrow },
      { payerAccountId: user, escrowAccountId: nowhere },
    ])
      await expect(
        testApp.ctx.tx((ctx) => ledger.charge(ctx, [{ ...charge, ...accounts }], new Map())),
      ).rejects.toThrow('do not exist');
    expect([await balance(user), await balance(escrow)]).toEqual([100n, 0n]);
    expect(await ledger.findBrokenInvariants(testApp.ctx)).toEqual([]);
  });
});

describe('the database itself', () => {
  test('refuses a negative balance of a customer, whoever writes it', async () => {
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

/** The oracle: balances in a Map, a transfer list is all or nothing, a known key changes nothing. */
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

test('agrees with the model for any lists of transfers, run in parallel batches or not', async () => {
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
      // 0 is the outside world, which may go below zero; the others are customers.
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
      expect(await ledger.findBrokenInvariants(testApp.ctx)).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test('opposite transfers at the same time wait for each other and never deadlock', async () => {
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
