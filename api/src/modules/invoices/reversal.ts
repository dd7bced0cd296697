/**
 * Takes back the credit of deposits that have left their chain, and restores it when they return. A restoration is the exact opposite of
 * the transfers of the reversal: what was a loss is paid back to `loss`, and the customer gets what was taken from them.
 */
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import type { Chain } from '../../payments/currencies.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as bonus from '../referrals/levels.service.ts';
import { saveRestored, saveReversed } from './deposit-changes.store.ts';
import { listGone, lockGone, lockReturned, type OwnedDeposit } from './deposits.store.ts';
import * as invoices from './invoices.store.ts';
import { updateStatuses } from './invoice-status.ts';

const REVERSALS_PER_RUN = 100;
const { external, loss, bonus: bonusAccount } = ledger.systemAccounts;

/** Failures are logged and retried. */
export async function reverseGoneDeposits(ctx: Ctx, chain: Chain): Promise<void> {
  for (const id of await listGone(ctx, chain, REVERSALS_PER_RUN)) {
    try {
      await reverseDeposit(ctx, id);
    } catch (error) {
      ctx.log.error({ err: error, depositId: id }, 'deposit could not be reversed');
    }
  }
}

/** One transaction. Lock order: the deposit, its invoice, the accounts of the customer and the referrer, system accounts. */
async function reverseDeposit(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const deposit = await lockGone(ctx, id);
    if (!deposit) return;
    const { userId, accountId, transactionId } = deposit;
    const creditedMicros = deposit.creditedMicros!;
    const key = transferKey('reversal', id, deposit.reversalCount + 1);
    const invoiceIds = toInvoiceIds(deposit);
    await invoices.lockInvoices(ctx, invoiceIds);
    const [reward] = await ledger.findTransfers(ctx, [`deposit:${id}:bonus`]);
    const balances = await ledger.lockBalances(ctx, reward ? [accountId, reward.creditAccountId] : [accountId]);
    const takenMicros = least(creditedMicros, balances.get(accountId));
    const transfers = takeBack(key, external, accountId, takenMicros, creditedMicros);
    if (reward) {
      const { creditAccountId, amountMicros } = reward;
      const bonusTakenMicros = least(amountMicros, balances.get(creditAccountId));
      transfers.push(...takeBack(`${key}:bonus`, bonusAccount, creditAccountId, bonusTakenMicros, amountMicros));
    }
    await saveReversed(ctx, id, takenMicros);
    await updateStatuses(ctx, invoiceIds);
    await record(ctx, {
      action: 'DEPOSIT_REVERSED',
      userId,
      requester: undefined,
      details: { transaction: transactionId, amount: toDollars(creditedMicros), taken: toDollars(takenMicros) },
    });
    await notify(ctx, userId, key, { kind: 'TOP_UP_REVERSED', details: { amount: toDollars(creditedMicros) } });
    const posted = await ledger.postLocked(ctx, transfers);
    assert.equal(posted.size, transfers.length, `deposit ${id} was already reversed`);
    ctx.log.error({ depositId: id, userId, transactionId }, 'a credited payment has left its chain: credit reversed');
  });
}

/** One transaction, with the same lock order. @param block that was confirmed */
export function restoreDeposit(ctx: Ctx, { id, block }: Pick<OwnedDeposit, 'id' | 'block'>): Promise<void> {
  return ctx.tx(async (ctx) => {
    const deposit = await lockReturned(ctx, id);
    if (!deposit || deposit.block?.hash !== block?.hash) return;
    const { userId, transactionId, reversalCount: round } = deposit;
    const invoiceIds = toInvoiceIds(deposit);
    await invoices.lockInvoices(ctx, invoiceIds);
    const reversal = transferKey('reversal', id, round);
    const reversed = await ledger.findTransfers(
      ctx,
      ['', ':loss', ':bonus', ':bonus:loss'].map((part) => reversal + part),
    );
    const key = transferKey('restoration', id, round);
    const transfers = reversed.map(({ idempotencyKey, debitAccountId, creditAccountId, amountMicros }) => ({
      idempotencyKey: key + idempotencyKey.slice(reversal.length),
      debitAccountId: creditAccountId,
      creditAccountId: debitAccountId,
      amountMicros,
      reason: 'RESTORATION' as const,
    }));
    await saveRestored(ctx, id);
    for (const paidId of await updateStatuses(ctx, invoiceIds)) await bonus.recordPayment(ctx, paidId, userId);
    const amount = toDollars(deposit.creditedMicros!);
    await record(ctx, {
      action: 'DEPOSIT_RESTORED',
      userId,
      requester: undefined,
      details: { transaction: transactionId, amount },
    });
    await notify(ctx, userId, key, { kind: 'TOP_UP_RESTORED', details: { amount } });
    const posted = await ledger.post(ctx, transfers);
    assert.equal(posted.size, transfers.length, `deposit ${id} was already restored`);
  });
}

/** The first reversal has no number in its keys. A deposit may leave its chain and return more than once. */
function transferKey(event: 'reversal' | 'restoration', id: string, round: number): string {
  return round === 1 ? `${event}:${id}` : `${event}:${id}:${round}`;
}

/** A balance is never negative: what the account cannot pay is a loss. */
function takeBack(
  key: string,
  creditAccountId: bigint,
  accountId: bigint,
  takenMicros: bigint,
  amountMicros: bigint,
): ledger.Transfer[] {
  const lostMicros = amountMicros - takenMicros;
  return [
    { idempotencyKey: key, debitAccountId: accountId, amountMicros: takenMicros },
    { idempotencyKey: `${key}:loss`, debitAccountId: loss, amountMicros: lostMicros },
  ]
    .filter((transfer) => transfer.amountMicros > 0n)
    .map((transfer) => ({ ...transfer, creditAccountId, reason: 'REVERSAL' }));
}

function toInvoiceIds({ invoice }: OwnedDeposit): string[] {
  return invoice ? [invoice.id] : [];
}

/** The part of the amount that the account can pay. */
function least(amountMicros: bigint, balance: ledger.Balance | undefined): bigint {
  assert(balance, 'the account of a reversal does not exist');
  const freeMicros = balance.balanceMicros - balance.heldMicros;
  if (freeMicros < 0n) return 0n;
  return amountMicros < freeMicros ? amountMicros : freeMicros;
}
