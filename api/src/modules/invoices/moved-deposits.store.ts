import type { Ctx } from '../../ctx.ts';
import type { ObservedPayment } from '../../payments/chains/watcher.ts';
import type { Chain } from '../../payments/currencies.ts';
import type { KnownDeposit, Move } from './moved-deposits.ts';

/** Below all numbers of logs and those of deposits whose number another payment has. */
const FIRST_TEMPORARY_OUTPUT = -2_000_000_000;

interface StoredDeposit extends Omit<KnownDeposit, 'units'> {
  units: string;
}

/** The deposits of these transactions, locked. */
export async function lockByTransaction(
  ctx: Ctx,
  chain: Chain,
  payments: readonly Pick<ObservedPayment, 'asset' | 'transactionId'>[],
): Promise<KnownDeposit[]> {
  const rows = await ctx.db.query<StoredDeposit>(
    `select deposits.id, asset, transaction_id as "transactionId", output, units, address, block_hash as "blockHash", orphaned_at is not null as "isOrphaned"
       from deposits join deposit_addresses on deposit_addresses.id = address_id
      where chain = $1 and not is_by_hand
        and (asset, transaction_id) in (select * from unnest($2::text[], $3::text[]))
      order by deposits.id for no key update of deposits`,
    [chain, payments.map(({ asset }) => asset), payments.map(({ transactionId }) => transactionId)],
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}

/** The deposits of these addresses in these blocks. */
export async function listInBlocks(
  ctx: Ctx,
  chain: Chain,
  payments: readonly { asset: string; address: string; block: { hash: string } }[],
): Promise<KnownDeposit[]> {
  const rows = await ctx.db.query<StoredDeposit>(
    `select deposits.id, asset, transaction_id as "transactionId", output, units, address, block_hash as "blockHash", orphaned_at is not null as "isOrphaned"
       from deposits join deposit_addresses on deposit_addresses.id = address_id
      where chain = $1 and (asset, address, block_hash) in (select * from unnest($2::text[], $3::text[], $4::text[]))`,
    [
      chain,
      payments.map(({ asset }) => asset),
      payments.map(({ address }) => address),
      payments.map(({ block }) => block.hash),
    ],
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}

/** In two steps, because numbers may be exchanged. */
export async function move(ctx: Ctx, moves: readonly Move[]): Promise<void> {
  const ids = moves.map(({ id }) => id);
  const update = (outputs: readonly number[]) =>
    ctx.db.query(
      `update deposits set output = moved.output from unnest($1::uuid[], $2::int[]) as moved (id, output)
        where deposits.id = moved.id`,
      [ids, outputs],
    );
  await update(moves.map((_, index) => FIRST_TEMPORARY_OUTPUT - index));
  await update(moves.map(({ output }) => output));
}
