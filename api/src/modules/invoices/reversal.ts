/** Takes back the credit of deposits that have left their chain. */
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import type { Chain } from '../../payments/currencies.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as deposits from './deposits.store.ts';
import * as invoices from './invoices.store.ts';
import { updateStatuses } from './status-updates.ts';

const REVERSALS_PER_RUN = 100;

/** Failures are logged and retried. */
export async function reverseGoneDeposits(ctx: Ctx, chain: Chain): Promise<void> {
  for (const id of await deposits.listGone(ctx, chain, REVERSALS_PER_RUN)) {
    try {
      await reverseDeposit(ctx, id);
    } catch (error) {
      ctx.log.error({ err: error, depositId: id }, 'deposit could not be reversed');
    }
  }
}

/** One transaction. Lock order: the deposit, its invoice, the customer's account, system accounts. */
async function reverseDeposit(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const deposit = await deposits.lockGone(ctx, id);
    if (!deposit) return;
    const { userId, accountId, creditedMicros, transactionId } = deposit;
    const invoiceIds = deposit.invoiceId === null ? [] : [deposit.invoiceId];
    await invoices.lockInvoices(ctx, invoiceIds);
    const { balanceMicros, heldMicros } = await ledger.lockBalance(ctx, accountId);
    const takenMicros = least(creditedMicros, balanceMicros - heldMicros);
    await deposits.saveReversed(ctx, id, takenMicros);
    await updateStatuses(ctx, invoiceIds);
    const transfers = toTransfers(id, accountId, takenMicros, creditedMicros - takenMicros);
    await record(ctx, {
      action: 'DEPOSIT_REVERSED',
      userId,
      requester: undefined,
      details: { transaction: transactionId, amount: toDollars(creditedMicros), taken: toDollars(takenMicros) },
    });
    await notify(ctx, userId, `reversal:${id}`, {
      kind: 'TOP_UP_REVERSED',
      details: { amount: toDollars(creditedMicros) },
    });
    const posted = await ledger.postLocked(ctx, transfers);
    assert.equal(posted.size, transfers.length, `deposit ${id} was already reversed`);
    ctx.log.error({ depositId: id, userId, transactionId }, 'a credited payment has left its chain: credit reversed');
  });
}

/** A balance is never negative: what the customer has spent is a loss. */
function toTransfers(id: string, accountId: bigint, takenMicros: bigint, lostMicros: bigint): ledger.Transfer[] {
  const { external, loss } = ledger.systemAccounts;
  return [
    { idempotencyKey: `reversal:${id}`, debitAccountId: accountId, amountMicros: takenMicros },
    { idempotencyKey: `reversal:${id}:loss`, debitAccountId: loss, amountMicros: lostMicros },
  ]
    .filter(({ amountMicros }) => amountMicros > 0n)
    .map((transfer) => ({ ...transfer, creditAccountId: external, reason: 'REVERSAL' }));
}

function least(a: bigint, b: bigint): bigint {
  const smaller = a < b ? a : b;
  return smaller < 0n ? 0n : smaller;
}
