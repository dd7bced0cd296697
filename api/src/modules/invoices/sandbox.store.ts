import type { Ctx } from '../../ctx.ts';
import type { SandboxTransaction } from '../../dev/sandbox.ts';

const TRANSACTIONS_PER_POLL = 2000;

export async function insertTransaction(
  ctx: Ctx,
  transaction: { transactionId: string; chain: string; asset: string; address: string; units: bigint },
): Promise<void> {
  await ctx.db.query(
    `insert into sandbox_transactions (transaction_id, chain, asset, address, units) values ($1, $2, $3, $4, $5)`,
    [transaction.transactionId, transaction.chain, transaction.asset, transaction.address, transaction.units],
  );
}

export async function listTransactionsAfter(ctx: Ctx, chain: string, position: bigint): Promise<SandboxTransaction[]> {
  const rows = await ctx.db.query<Omit<SandboxTransaction, 'units'> & { units: string }>(
    `select height as position, transaction_id as "transactionId", asset, address, units, created_at as "createdAt",
            (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs"
       from sandbox_transactions where chain = $1 and height > $2 order by height limit $3`,
    [chain, position, TRANSACTIONS_PER_POLL],
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}

/** The sum paid to the address after `since` that the watcher has not read yet. */
export async function sumUnread(
  ctx: Ctx,
  { chain, asset, address, since }: { chain: string; asset: string; address: string; since: Date },
): Promise<bigint> {
  const [row] = await ctx.db.query<{ units: string }>(
    `select coalesce(sum(units), 0) as units from sandbox_transactions
      where chain = $1 and asset = $2 and address = $3 and created_at >= $4
        and not exists (select from deposits
                         where deposits.chain = sandbox_transactions.chain
                           and deposits.asset = sandbox_transactions.asset
                           and deposits.transaction_id = sandbox_transactions.transaction_id)`,
    [chain, asset, address, since],
  );
  return BigInt(row!.units);
}

export async function sumByAddress(
  ctx: Ctx,
  chain: string,
  asset: string,
  addresses: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await ctx.db.query<{ address: string; units: string }>(
    `select address, sum(units) as units from sandbox_transactions
      where chain = $1 and asset = $2 and address = any($3) group by address`,
    [chain, asset, addresses],
  );
  return new Map(rows.map(({ address, units }) => [address, BigInt(units)]));
}
