/**
 * Runs the tables of docs/billing.md about deposits, reversals and corrections against the real code.
 * @module-tag thorough
 */
import { megabytesToBytes, toMicros } from '@cellhop/contract/units';
import { afterAll, beforeAll, expect } from 'vitest';
import { buy, end, use } from '../../../test/billed-connections.ts';
import { cell, checkBilling, money } from '../../../test/billing-tables.ts';
import { balanceOf, createUser, spend, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { toMicrosFromCell, type MarkdownRow } from '../../../test/markdown-tables.ts';
import { raiseToSilver, paymentsOn } from '../../../test/payments-on-chain.ts';
import { newInvoice, pay } from '../../../test/sandbox-payments.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { adjust, outcomeAfter } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { parseUnits, toCreditMicros, toDueUnits } from '../../payments/amounts.ts';
import { currencyRules } from '../../payments/currencies.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { bonusMicros, levelFromPayments } from '../referrals/levels.service.ts';
import { trialTransfer } from '../referrals/referrals.service.ts';
import { chooseCreditRate } from './credit.ts';
import { toStatus } from './invoice-status.ts';

let testApp: TestApp;
/** Shared by all rows, because the watcher of a chain keeps its position. */
let chain: ScriptedChain;
beforeAll(async () => {
  testApp = await startTestApp();
  chain = new ScriptedChain();
  await registerNode(testApp.ctx);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

checkBilling('money', {
  'Deposits: Paid': checkPayment,
  'Deposits: Paid invoices last month': checkBonus,
  'When a payment leaves its chain: Balance': checkReversal,
  'Transfers: Event': checkTransfer,
  'Changes by staff: Changes in the last 24 hours': checkApproval,
});

function checkPayment(row: MarkdownRow): void {
  const rules = currencyRules.BTC;
  const rateE12 = 100_000n * 10n ** 12n;
  const dueUnits = toDueUnits(toMicros(25), rateE12, rules);
  expect(dueUnits).toBe(parseUnits('0.00025', rules));
  const expiredAt = new Date();
  const arrivedAt = new Date(expiredAt.getTime() + (cell(row, 'When') === 'late' ? 1 : -1));
  const arrivalRateE12 = money(row, 'Rate at arrival') * 10n ** 6n;
  const creditRateE12 = chooseCreditRate(rules, arrivalRateE12, arrivedAt, { rateE12, expiredAt });
  const units = parseUnits(cell(row, 'Paid').replace(/ BTC$/, ''), rules)!;
  expect(toCreditMicros(units, creditRateE12!, rules)).toBe(money(row, 'Credited'));
  const deposits = [{ units, isCredited: true }];
  const hasEnded = cell(row, 'When') === 'late';
  expect(toStatus({ dueUnits, rules, hasEnded, deposits })).toBe(cell(row, 'Invoice status'));
}

function checkBonus(row: MarkdownRow): void {
  const level = levelFromPayments(Number(cell(row, 'Paid invoices last month')));
  expect(level).toBe(cell(row, 'Level'));
  expect(bonusMicros(level, money(row, 'Top-up'))).toBe(money(row, 'Bonus'));
}

/** A payment of $25 with a bonus of $2.50 is reversed, then it returns. */
async function checkReversal(row: MarkdownRow): Promise<void> {
  const referrer = await createUser(testApp);
  await raiseToSilver(testApp, referrer, await createUser(testApp, { referrerId: referrer.id }));
  const user = await createUser(testApp, { referrerId: referrer.id });
  const balances = async () => {
    const loss = { accountId: ledger.systemAccounts.loss };
    return Promise.all([user, referrer, loss].map((each) => balanceOf(testApp, each)));
  };
  const { credit, orphan, confirm } = paymentsOn(chain, testApp);
  const { payment } = await credit(user);
  await setBalance(user, money(row, 'Balance'));
  await setBalance(referrer, money(row, 'Referrer’s balance'));
  const [own, others, loss] = await balances();
  await orphan(payment);
  expect(await balances()).toEqual([
    own! - money(row, 'Taken back'),
    others! - money(row, 'Bonus taken back'),
    loss! - money(row, 'Loss'),
  ]);
  await confirm(payment);
  expect(await balances()).toEqual([own, others, loss]);
}

async function setBalance(user: TestUser, micros: bigint): Promise<void> {
  await spend(testApp, user, (await balanceOf(testApp, user)) - micros);
}

async function checkApproval(row: MarkdownRow): Promise<void> {
  const before = cell(row, 'Changes in the last 24 hours').split(', ').map(toMicrosFromCell);
  expect(await outcomeAfter(testApp, before, money(row, 'Next'))).toBe(cell(row, 'Result'));
}

async function checkTransfer(row: MarkdownRow): Promise<void> {
  transfers ??= everyEvent();
  expect(await transfers).toContainEqual({
    from: cell(row, 'From'),
    to: cell(row, 'To'),
    reason: cell(row, 'Reason'),
    key: cell(row, 'Idempotency key').replaceAll('`', ''),
  });
}

type ShownTransfer = Record<'from' | 'to' | 'reason' | 'key', string>;

let transfers: Promise<ShownTransfer[]> | undefined;
/** A history with each event of the table, as in the ledger. Ids in keys are replaced with the table's letters. */
async function everyEvent(): Promise<ShownTransfer[]> {
  const referrer = await createUser(testApp);
  const user = await createUser(testApp, { referrerId: referrer.id });
  const [code] = await testApp.database.query<{ id: string }>(
    `insert into promo_codes (code, user_id, trial_credit_micros) values ('BILLING', $1, 1000000) returning id`,
    [referrer.id],
  );
  await testApp.database.query('update users set promo_code_id = $2 where id = $1', [user.id, code!.id]);
  await testApp.ctx.tx(async (ctx) =>
    ledger.post(ctx, [(await trialTransfer(ctx, user.id, user.accountId, async () => true))!]),
  );
  // The chain of Bitcoin is a scripted one.
  const invoice = await newInvoice(user, 'LTC');
  await pay(testApp, invoice);
  await testApp.database.query(
    `update referral_payments set paid_at = date_trunc('month', now(), 'UTC') - interval '1 second' where invoice_id = $1`,
    [invoice.id],
  );
  await pay(testApp, await newInvoice(user, 'LTC'));
  const staff = await createUser(testApp, { roleName: 'FINANCE' });
  for (const amount of [2, -1]) await adjust(staff, user, amount);
  const run = createGatewayRun(testApp);
  const [used, unused] = [await buy(testApp, user), await buy(testApp, user)];
  await run.authorize(used);
  await use(run, used, megabytesToBytes(51n));
  for (const connection of [used, unused]) await end(testApp, user, connection, run, 'USER', megabytesToBytes(51n));
  await orphanAndReturn(user, referrer);
  const rows = await testApp.database.query<{ from: string; to: string; reason: string; key: string | null }>(
    `select payer.kind as "from", receiver.kind as "to", reason, idempotency_key as key
       from transfers
       join balances as payer on payer.account_id = debit_account_id
       join balances as receiver on receiver.account_id = credit_account_id
      where $1 in (debit_account_id, credit_account_id) or $2 in (debit_account_id, credit_account_id) or reason in ('REVERSAL', 'RESTORATION')
         or debit_account_id in (select escrow_account_id from connections where user_id = $3)`,
    [user.accountId, referrer.accountId, user.id],
  );
  const letters = { deposit: 'D', reversal: 'D', restoration: 'D', trial: 'U', connection: 'C', adjustment: 'A' };
  return rows.map(({ key, ...row }) => ({
    ...row,
    key:
      key?.replace(
        /^(deposit|reversal|restoration|trial|connection|adjustment):[0-9a-f-]{36}/,
        (_, kind: keyof typeof letters) => `${kind}:${letters[kind]}`,
      ) ?? 'its first megabyte',
  }));
}

/** Customer and referrer can pay back only a part. */
async function orphanAndReturn(user: TestUser, referrer: TestUser): Promise<void> {
  const { credit, orphan, confirm } = paymentsOn(chain, testApp);
  const { payment } = await credit(user);
  await setBalance(user, 5_000_000n);
  await setBalance(referrer, 500_000n);
  await orphan(payment);
  await confirm(payment);
}
