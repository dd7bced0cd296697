import type { TransactionKind } from '@cellhop/contract/transactions.values';
import type { Ctx } from '../../ctx.ts';

interface KindSum {
  kind: TransactionKind;
  count: number;
  micros: bigint;
}

export interface Sums {
  /** The current balance, in the same snapshot as the sums. */
  balanceMicros: bigint;
  /** The sum of all entries after the range. */
  laterMicros: bigint;
  kinds: KindSum[];
}

/** The entries of an account in a range, by kind: those that the statement lists. */
export async function sumEntries(ctx: Ctx, accountId: bigint, from: Date, to: Date): Promise<Sums> {
  const rows = await ctx.db.query<KindSum & { balanceMicros: bigint; laterMicros: bigint }>(
    `with entries as (
       select reason, -amount_micros as micros, created_at from readable_transfers
        where debit_account_id = $1 and created_at >= $2
       union all
       select reason, amount_micros, created_at from readable_transfers
        where credit_account_id = $1 and megabyte_from is null and created_at >= $2
     ), sums as (
       select reason, count(*) filter (where created_at < $3)::int as count,
              coalesce(sum(micros) filter (where created_at < $3), 0)::bigint as micros,
              coalesce(sum(micros) filter (where created_at >= $3), 0)::bigint as later_micros
         from entries group by reason
     )
     select balance_micros as "balanceMicros", coalesce(sum(later_micros) over (), 0)::bigint as "laterMicros",
            reason as kind, coalesce(count, 0) as count, coalesce(micros, 0) as micros
       from readable_accounts left join sums on true
      where id = $1`,
    [accountId, from, to],
  );
  const { balanceMicros, laterMicros } = rows[0]!;
  const kinds = rows.filter(({ count }) => count > 0).map(({ kind, count, micros }) => ({ kind, count, micros }));
  return { balanceMicros, laterMicros, kinds };
}
