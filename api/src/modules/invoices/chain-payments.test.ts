import { listInvoices, type Invoice } from '@cellhop/contract/invoices';
import fc from 'fast-check';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceOf, createUser, spend, type TestUser } from '../../../test/factories.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { newInvoice, reload } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { ChainUnavailable } from '../../payments/chains/watcher.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as states from './chain-states.store.ts';
import { watchChain } from './watch.service.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const DOLLAR = 1_000_000n;
/** $25 at the rate of the sandbox. */
const UNITS = 25_000n;
const BLOCKS_UNTIL_FINAL = 4;

let testApp: TestApp;
let chain: ScriptedChain;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  chain = new ScriptedChain();
  user = await createUser(testApp);
});
afterEach(async () => assert.deepEqual(await checkInvariants(testApp.ctx), []));

const watch = () => watchChain(testApp.ctx, 'bitcoin', chain);
const sendTo = ({ address }: Invoice, units = UNITS) => chain.send({ asset: 'BTC', address, units });
const statusOf = async (invoice: Invoice) => (await reload(user, invoice)).status;
const dollars = () => balanceOf(testApp, user);
const depositStates = async () =>
  (await testApp.database.query<{ state: string }>('select state from deposits order by arrived_at, id')).map(
    ({ state }) => state,
  );
const lossMicros = () => balanceOf(testApp, { accountId: ledger.systemAccounts.loss });
const state = () => states.readState(testApp.ctx, 'bitcoin');

async function pay(invoice: Invoice, units = UNITS) {
  const payment = sendTo(invoice, units);
  chain.mine();
  chain.mineEmpty(BLOCKS_UNTIL_FINAL - 1);
  await watch();
  return payment;
}

describe('a payment', () => {
  test('is seen, included, final and credited, in this order', async () => {
    const invoice = await newInvoice(user);
    await watch();
    sendTo(invoice);
    await watch();
    expect(await depositStates()).toEqual(['SEEN']);
    chain.mine();
    await watch();
    expect(await depositStates()).toEqual(['INCLUDED']);
    chain.mineEmpty(BLOCKS_UNTIL_FINAL - 2);
    await watch();
    expect([await depositStates(), await dollars()]).toEqual([['INCLUDED'], 0n]);
    chain.mineEmpty(1);
    await watch();
    expect([await depositStates(), await dollars()]).toEqual([['CREDITED'], 25n * DOLLAR]);
  });

  test('that leaves the chain is seen again, and credited when it is final in another block', async () => {
    const invoice = await newInvoice(user);
    await watch();
    sendTo(invoice);
    chain.mine();
    await watch();
    chain.reorganise(1);
    chain.mineEmpty(1);
    await watch();
    expect(await depositStates()).toEqual(['SEEN']);
    chain.mine();
    chain.mineEmpty(BLOCKS_UNTIL_FINAL - 1);
    await watch();
    expect([await statusOf(invoice), await dollars()]).toEqual(['PAID', 25n * DOLLAR]);
  });

  test('that is replaced counts neither for the balance nor for the invoice', async () => {
    const invoice = await newInvoice(user);
    await watch();
    const first = sendTo(invoice);
    await watch();
    expect(await statusOf(invoice)).toBe('CONFIRMING');
    chain.drop(first);
    await watch();
    expect([await depositStates(), await statusOf(invoice)]).toEqual([['REPLACED'], 'PENDING']);
    expect((await reload(user, invoice)).payment).toBeNull();
    await pay(invoice);
    expect([await depositStates(), await dollars()]).toEqual([['REPLACED', 'CREDITED'], 25n * DOLLAR]);
  });

  test('that seemed to be replaced is credited if it is mined later', async () => {
    const invoice = await newInvoice(user);
    await watch();
    const payment = sendTo(invoice);
    await watch();
    chain.drop(payment);
    await watch();
    chain.mine([payment]);
    chain.mineEmpty(BLOCKS_UNTIL_FINAL - 1);
    await watch();
    expect([await depositStates(), await dollars()]).toEqual([['CREDITED'], 25n * DOLLAR]);
  });

  test('that is replaced in a reorganisation is never credited', async () => {
    const invoice = await newInvoice(user);
    await watch();
    const payment = sendTo(invoice);
    chain.mine();
    await watch();
    chain.reorganise(1);
    chain.drop(payment);
    chain.mineEmpty(BLOCKS_UNTIL_FINAL + 2);
    await watch();
    expect([await depositStates(), await dollars()]).toEqual([['REPLACED'], 0n]);
  });

  test('arrives when it is mined if it was stuck until two hours after the end of its invoice', async () => {
    const invoice = await newInvoice(user);
    await watch();
    sendTo(invoice);
    await watch();
    await testApp.database.query(`update deposits set arrived_at = arrived_at - interval '3 hours'`);
    await testApp.database.query(
      `update invoices set created_at = created_at - interval '4 hours', expired_at = expired_at - interval '2 hours 20 minutes'`,
    );
    await watch();
    chain.mine();
    chain.mineEmpty(BLOCKS_UNTIL_FINAL - 1);
    await watch();
    expect((await reload(user, invoice)).payment).toMatchObject({ isLate: true });
  });
});

describe('a credited payment that leaves the chain', () => {
  test('stays credited if it is mined again', async () => {
    const invoice = await newInvoice(user);
    await watch();
    await pay(invoice);
    chain.reorganise(BLOCKS_UNTIL_FINAL);
    await watch();
    chain.mine();
    chain.mineEmpty(30);
    await watch();
    expect([await depositStates(), await dollars()]).toEqual([['CREDITED'], 25n * DOLLAR]);
  });

  test('is reversed if it was replaced; the customer is notified, and the chain is paused', async () => {
    const invoice = await newInvoice(user);
    await watch();
    const payment = await pay(invoice);
    chain.reorganise(BLOCKS_UNTIL_FINAL);
    chain.drop(payment);
    chain.mineEmpty(BLOCKS_UNTIL_FINAL + 1);
    await watch();
    chain.mineEmpty(1);
    await watch();
    expect([await depositStates(), await dollars()]).toEqual([['REVERSED'], 0n]);
    expect(await statusOf(invoice)).toBe('PENDING');
    expect((await state()).pauseReason).toMatch(/left the chain/);
    const audited = await testApp.database.query(
      `select details from audit_log where action = 'DEPOSIT_REVERSED' and user_id = $1`,
      [user.id],
    );
    expect(audited).toMatchObject([{ details: { amount: 25, taken: 25 } }]);
    await expect(newInvoice(user)).rejects.toMatchObject({ status: 503, code: 'CURRENCY_UNAVAILABLE' });
    await newInvoice(user, 'LTC');
  });

  test('takes at most the balance, and the rest is a loss until the payment returns', async () => {
    const invoice = await newInvoice(user);
    await watch();
    const payment = await pay(invoice);
    await spend(testApp, user, 20n * DOLLAR);
    chain.reorganise(BLOCKS_UNTIL_FINAL);
    chain.drop(payment);
    chain.mineEmpty(BLOCKS_UNTIL_FINAL + 1);
    await watch();
    chain.mineEmpty(1);
    await watch();
    expect([await dollars(), await lossMicros()]).toEqual([0n, -20n * DOLLAR]);
    chain.mine([payment]);
    chain.mineEmpty(BLOCKS_UNTIL_FINAL - 1);
    await states.resume(testApp.ctx, 'bitcoin');
    await watch();
    expect([await depositStates(), await dollars(), await lossMicros()]).toEqual([['CREDITED'], 5n * DOLLAR, 0n]);
  });

  test('pauses credits until the operator resumes the chain', async () => {
    const [invoice, other] = [await newInvoice(user), await createUser(testApp)];
    await watch();
    await pay(invoice);
    await states.pause(testApp.ctx, 'bitcoin', 'a test');
    const next = await newInvoice(other, 'LTC');
    expect(next.status).toBe('PENDING');
    sendTo(invoice);
    chain.mine();
    chain.mineEmpty(BLOCKS_UNTIL_FINAL);
    await watch();
    expect([await depositStates(), await dollars()]).toEqual([['CREDITED', 'FINAL'], 25n * DOLLAR]);
    await states.resume(testApp.ctx, 'bitcoin');
    await watch();
    expect(await dollars()).toBe(50n * DOLLAR);
  });
});

describe('a large payment', () => {
  const large = 1_000_000n;

  test('needs the same fact from a second source', async () => {
    const invoice = await newInvoice(user);
    await watch();
    chain.secondOpinion = false;
    await pay(invoice, large);
    expect([await depositStates(), await dollars()]).toEqual([['FINAL'], 0n]);
    const [held] = await testApp.database.query<{ hold: string }>('select hold from deposits');
    expect(held!.hold).toBe('SOURCES_DISAGREE');
    const asked = chain.confirmCount;
    await watch();
    expect(chain.confirmCount).toBe(asked);
    await testApp.database.query('update deposits set released_at = now()');
    await watch();
    expect(await dollars()).toBe(1000n * DOLLAR);
  });

  test('is credited if the second source agrees, or if there is none', async () => {
    const invoice = await newInvoice(user);
    await watch();
    chain.secondOpinion = true;
    await pay(invoice, large);
    chain.secondOpinion = undefined;
    await pay(invoice, large);
    expect([await dollars(), chain.confirmCount]).toEqual([2000n * DOLLAR, 2]);
  });

  test('of at most $500 needs no second source', async () => {
    const invoice = await newInvoice(user);
    await watch();
    chain.secondOpinion = false;
    await pay(invoice, 500_000n);
    expect([await dollars(), chain.confirmCount]).toEqual([500n * DOLLAR, 0]);
  });
});

describe('watching', () => {
  test('catches up in one run after a day without a worker', async () => {
    chain = new ScriptedChain(10);
    const invoice = await newInvoice(user);
    await watch();
    sendTo(invoice);
    chain.mine();
    chain.mineEmpty(144);
    await watch();
    expect([await statusOf(invoice), await dollars()]).toEqual(['PAID', 25n * DOLLAR]);
    const { headHeight, scannedHeight } = await state();
    expect([headHeight, scannedHeight]).toEqual([145n, 145n]);
  });

  test('records why a chain is unavailable, and clears the reason after a successful poll', async () => {
    await watch();
    chain.fail(new ChainUnavailable('LAGGING', 'node 1 is 9 blocks behind'));
    await watch();
    const failing = await state();
    expect([failing.unavailableReason, failing.unavailableMessage]).toEqual(['LAGGING', 'node 1 is 9 blocks behind']);
    await watch();
    expect((await state()).unavailableSince).toEqual(failing.unavailableSince);
    await newInvoice(user);
    await testApp.database.query(
      `update chain_cursors set unavailable_since = now() - interval '3 minutes' where chain = 'bitcoin'`,
    );
    await expect(newInvoice(user)).rejects.toMatchObject({ code: 'CURRENCY_UNAVAILABLE' });
    chain.fail(undefined);
    await watch();
    expect((await state()).unavailableSince).toBeNull();
    await newInvoice(user);
  });

  test('leaves a chain to the worker that has claimed it, and takes over when its lease has ended', async () => {
    const [first, second] = [
      await states.claimPoll(testApp.ctx, 'litecoin', 60_000),
      await states.claimPoll(testApp.ctx, 'litecoin', 60_000),
    ];
    expect([first?.chain, second]).toEqual(['litecoin', undefined]);
    await testApp.database.query(`update chain_cursors set next_poll_at = now() where chain = 'litecoin'`);
    expect(await states.claimPoll(testApp.ctx, 'litecoin', 60_000)).toBeDefined();
  });
});

type Step =
  | { kind: 'SEND'; units: bigint }
  | { kind: 'MINE'; count: number }
  | { kind: 'REORGANISE'; depth: number }
  | { kind: 'DROP' }
  | { kind: 'RETURN' }
  | { kind: 'SPEND'; micros: bigint };

test(
  'in every history of the chain, the balance is the sum of credits, and each credited payment is on the chain',
  { tags: ['long'] },
  async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('SEND' as const), units: fc.bigInt(1000n, 60_000n) }),
      fc.record({ kind: fc.constant('MINE' as const), count: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('REORGANISE' as const), depth: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('DROP' as const) }),
      fc.record({ kind: fc.constant('RETURN' as const) }),
      fc.record({ kind: fc.constant('SPEND' as const), micros: fc.bigInt(1n, 30n * DOLLAR) }),
    );
    const dropped: ReturnType<typeof sendTo>[] = [];
    let spentMicros = 0n;
    const invoice = await newInvoice(user);
    await watch();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps: Step[]) => {
        for (const each of steps) {
          if (each.kind === 'SPEND') spentMicros += await spend(testApp, user, each.micros);
          else act(each);
          await Promise.all([watch(), watch()]);
          await states.resume(testApp.ctx, 'bitcoin');
        }
        chain.mine();
        chain.mineEmpty(30);
        await watch();
        // The last blocks may have taken a credited payment for good, which pauses the chain.
        await states.resume(testApp.ctx, 'bitcoin');
        await watch();
        const credited = await testApp.database.query<{ id: string; micros: bigint }>(
          `select transaction_id as id, credited_micros as micros from deposits where state = 'CREDITED'`,
        );
        expect(credited.map(({ id }) => id).toSorted()).toEqual(
          chain.included.map(({ transactionId }) => transactionId).toSorted(),
        );
        const creditedMicros = credited.reduce((sum, { micros }) => sum + micros, 0n);
        // Money that was spent before the reversal is a loss until the payment returns.
        expect((await dollars()) + spentMicros + (await lossMicros())).toBe(creditedMicros);
        assert.deepEqual(await checkInvariants(testApp.ctx), []);
      }),
      { numRuns: scaled(2, 12) },
    );
    expect((await user.call(listInvoices, { query: {} })).data).toHaveLength(1);

    function act(each: Exclude<Step, { kind: 'SPEND' }>): void {
      if (each.kind === 'SEND') sendTo(invoice, each.units);
      if (each.kind === 'REORGANISE') chain.reorganise(each.depth);
      if (each.kind === 'DROP' && chain.pooled[0]) {
        dropped.push(chain.pooled[0]);
        chain.drop(chain.pooled[0]);
      }
      if (each.kind === 'RETURN' && dropped.length > 0) chain.mine(dropped.splice(0, 1));
      if (each.kind !== 'MINE') return;
      chain.mine();
      chain.mineEmpty(each.count - 1);
    }
  },
);
