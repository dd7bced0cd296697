/** The list of sweeps that were sent, and which final block each is in. */
import type { Ctx } from '../../ctx.ts';
import type { Chain, CurrencyRules } from '../../payments/currencies.ts';
import type { SweepChain } from '../../payments/sweep/sweep.ts';

export interface ListedSweep {
  chain: SweepChain;
  transactionId: string;
  asset: string;
  from: string;
  units: bigint;
  raw: string;
}

/** Before it is sent, so that no failure between leaves it out. One that is sent again is looked for again. */
export async function listSweep(ctx: Ctx, addressSpace: string, sweep: ListedSweep): Promise<void> {
  const { chain, transactionId, asset, from, units, raw } = sweep;
  await ctx.db.query(
    `insert into sweeps (chain, transaction_id, asset, address_id, units, raw)
     select $1, $2, $3, id, $4, $5 from deposit_addresses where address_space = $6 and address = $7
     on conflict (chain, transaction_id) do update set sent_at = now()`,
    [chain, transactionId, asset, units, raw, addressSpace, from],
  );
}

/** Those of addresses that no comparison has found in a block, and that were sent in this time. */
export function listUnsettled(
  ctx: Ctx,
  chain: Chain,
  addressIds: readonly bigint[],
  withinMs: number,
): Promise<{ transactionId: string; raw: string }[]> {
  return ctx.db.query<{ transactionId: string; raw: string }>(
    `select transaction_id as "transactionId", raw from sweeps
      where chain = $1 and address_id = any($2::bigint[]) and height is null and sent_at > now() - $3 * interval '1 millisecond'
      order by sent_at, transaction_id`,
    [chain, addressIds, withinMs],
  );
}

export async function settleSweep(
  ctx: Ctx,
  chain: Chain,
  transactionId: string,
  { height, isSuccessful }: { height: number; isSuccessful: boolean },
): Promise<void> {
  await ctx.db.query('update sweeps set height = $3, is_successful = $4 where chain = $1 and transaction_id = $2', [
    chain,
    transactionId,
    height,
    isSuccessful,
  ]);
}

export interface SweptSum {
  /** Of the asset. */
  units: bigint;
  /** Of sweeps of any asset, each of which has paid a fee in the coin. */
  count: bigint;
}

/**
 * What sweeps in final blocks have taken from addresses.
 * @param heights of the addresses, in the same order: sweeps in later blocks count
 * @param height up to this block
 */
export async function sumSwept(
  ctx: Ctx,
  { chain, asset }: Pick<CurrencyRules, 'chain' | 'asset'>,
  { ids, heights, height }: { ids: readonly bigint[]; heights: readonly number[]; height: number },
): Promise<ReadonlyMap<bigint, SweptSum>> {
  const rows = await ctx.db.query<{ id: bigint; units: string; count: bigint }>(
    `select address_id as id, count(*) as count,
            coalesce(sum(units) filter (where asset = $2 and is_successful), 0) as units
       from unnest($3::bigint[], $4::bigint[]) as compared (id, height) join sweeps on address_id = compared.id
      where chain = $1 and sweeps.height > compared.height and sweeps.height <= $5 group by address_id`,
    [chain, asset, ids, heights, height],
  );
  return new Map(rows.map(({ id, units, count }) => [id, { units: BigInt(units), count }]));
}
