/** The sums of a statement, for a customer's accountant. */
import { transactionKinds } from '@cellhop/contract/transactions.values';
import { type TransactionSummary } from '@cellhop/contract/transactions';
import { toDollars } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { sumEntries } from './summary.store.ts';

/** The balances are derived from the current one, so opening balance, sums and closing balance always add up. */
export async function summarizeTransactions(
  ctx: Ctx,
  { accountId }: Actor,
  range: { from: string; to: string },
): Promise<TransactionSummary> {
  const { balanceMicros, laterMicros, kinds } = await sumEntries(
    ctx,
    accountId,
    new Date(range.from),
    new Date(range.to),
  );
  const closingMicros = balanceMicros - laterMicros;
  const totalMicros = kinds.reduce((sum, { micros }) => sum + micros, 0n);
  return {
    openingBalance: toDollars(closingMicros - totalMicros),
    closingBalance: toDollars(closingMicros),
    kinds: transactionKinds.flatMap((kind) =>
      kinds
        .filter((each) => each.kind === kind)
        .map(({ count, micros }) => ({ kind, count, amount: toDollars(micros) })),
    ),
  };
}
