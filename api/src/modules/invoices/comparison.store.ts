/** The balances of addresses that are known from the last comparison with their deposits, and how far the comparison of each currency is. */
import type { Ctx } from '../../ctx.ts';
import type { UnspentOutput } from '../../payments/chains/watcher.ts';
import type { Chain, CurrencyRules } from '../../payments/currencies.ts';
import type { KnownBalance } from './known-balance.ts';

type Asset = Pick<CurrencyRules, 'chain' | 'asset'>;

/** Deposits that are in a block of their chain. */
const ON_CHAIN = `not is_by_hand and block_height is not null and state in ('INCLUDED', 'FINAL', 'CREDITED', 'REVERSED')`;

export interface Round {
  /** The last address that was compared. */
  afterId: bigint;
  /** The lowest block of the round before. */
  previousHeight: number | undefined;
}

/** Continues the round of a currency, or begins a new one: if the last one has ended, or from the first address again. */
export async function continueRound(ctx: Ctx, { chain, asset }: Asset, isFromStart: boolean): Promise<Round> {
  const [row] = await ctx.db.query<{ afterId: bigint; previousHeight: bigint | null }>(
    `insert into comparisons as known (chain, asset, started_at) values ($1, $2, now())
     on conflict (chain, asset) do update
        set started_at = case when known.finished_at is null and not $3 then known.started_at else now() end,
            after_id = case when known.finished_at is null and not $3 then known.after_id else 0 end,
            previous_height = case when known.finished_at is null then known.previous_height else coalesce(known.height, known.previous_height) end,
            height = case when known.finished_at is null and not $3 then known.height end,
            finished_at = null
     returning after_id as "afterId", previous_height as "previousHeight"`,
    [chain, asset, isFromStart],
  );
  return { afterId: row!.afterId, previousHeight: toNumber(row!.previousHeight) };
}

export async function saveProgress(ctx: Ctx, { chain, asset }: Asset, afterId: bigint, height: number): Promise<void> {
  await ctx.db.query(
    'update comparisons set after_id = $3, height = least(height, $4) where chain = $1 and asset = $2',
    [chain, asset, afterId, height],
  );
}

export async function finishRound(ctx: Ctx, { chain, asset }: Asset): Promise<void> {
  await ctx.db.query('update comparisons set finished_at = now() where chain = $1 and asset = $2', [chain, asset]);
}

/** Whether the currency has a round that has not ended, or none that began within this time. */
export async function isDue(ctx: Ctx, { chain, asset }: Asset, everyMs: number): Promise<boolean> {
  const rows = await ctx.db.query(
    `select from comparisons
      where chain = $1 and asset = $2 and finished_at is not null and started_at > now() - $3 * interval '1 millisecond'`,
    [chain, asset, everyMs],
  );
  return rows.length === 0;
}

export interface ComparedAddress {
  id: bigint;
  address: string;
  /** Undefined if there was nothing to remember. */
  known: KnownBalance | undefined;
}

interface StoredBalance {
  id: bigint;
  address: string;
  height: bigint | null;
  balanceUnits: string;
  depositUnits: string;
  byHandUnits: string;
  unexplainedUnits: string;
  unexplainedAfter: bigint | null;
}

/** All addresses, in pages, with the result of their last comparison. */
export async function listCompared(
  ctx: Ctx,
  { chain, asset, addressSpace }: Pick<CurrencyRules, 'chain' | 'asset' | 'addressSpace'>,
  afterId: bigint,
  limit: number,
): Promise<ComparedAddress[]> {
  const rows = await ctx.db.query<StoredBalance>(
    `select id, address, height, held_units as "balanceUnits", deposit_units as "depositUnits", by_hand_units as "byHandUnits",
            unexplained_units as "unexplainedUnits", unexplained_after as "unexplainedAfter"
       from deposit_addresses
       left join held_amounts on address_id = deposit_addresses.id and chain = $1 and asset = $2
      where address_space = $3 and id > $4 order by id limit $5`,
    [chain, asset, addressSpace, afterId, limit],
  );
  return rows.map(({ id, address, ...stored }) => ({ id, address, known: toKnown(stored) }));
}

function toKnown({ height, ...stored }: Omit<StoredBalance, 'id' | 'address'>): KnownBalance | undefined {
  if (height === null) return undefined;
  return {
    height: Number(height),
    balanceUnits: BigInt(stored.balanceUnits),
    depositUnits: BigInt(stored.depositUnits),
    byHandUnits: BigInt(stored.byHandUnits),
    unexplainedUnits: BigInt(stored.unexplainedUnits),
    unexplainedAfter: toNumber(stored.unexplainedAfter),
  };
}

export interface DepositSums {
  earlierUnits: bigint;
  laterUnits: bigint;
  byHandUnits: bigint;
}

/**
 * The sums of the deposits of addresses, split at a height of each.
 * @param heights of the addresses, in the same order
 * @param height deposits in later blocks do not count
 */
export async function sumDeposits(
  ctx: Ctx,
  { chain, asset }: Asset,
  { ids, heights, height }: { ids: readonly bigint[]; heights: readonly number[]; height: number },
): Promise<ReadonlyMap<bigint, DepositSums>> {
  const rows = await ctx.db.query<{ id: bigint; earlier: string; later: string; byHand: string }>(
    `select address_id as id,
            coalesce(sum(units) filter (where ${ON_CHAIN} and block_height <= compared.height), 0) as earlier,
            coalesce(sum(units) filter (where ${ON_CHAIN} and block_height > compared.height and block_height <= $5), 0) as later,
            coalesce(sum(units) filter (where is_by_hand), 0) as "byHand"
       from unnest($3::bigint[], $4::bigint[]) as compared (id, height) join deposits on address_id = compared.id
      where chain = $1 and asset = $2 group by address_id`,
    [chain, asset, ids, heights, height],
  );
  return new Map(
    rows.map(({ id, earlier, later, byHand }) => [
      id,
      { earlierUnits: BigInt(earlier), laterUnits: BigInt(later), byHandUnits: BigInt(byHand) },
    ]),
  );
}

/** Those of the outputs that are deposits. @returns `toOutputKey` of each */
export async function listKnownOutputs(
  ctx: Ctx,
  { chain, asset }: Asset,
  outputs: readonly UnspentOutput[],
): Promise<ReadonlySet<string>> {
  const rows = await ctx.db.query<{ transactionId: string; output: number }>(
    `select transaction_id as "transactionId", output
       from unnest($3::text[], $4::int[]) as unspent (transaction_id, output) join deposits using (transaction_id, output)
      where chain = $1 and asset = $2 and ${ON_CHAIN}`,
    [chain, asset, outputs.map(({ transactionId }) => transactionId), outputs.map(({ output }) => output)],
  );
  return new Set(rows.map(toOutputKey));
}

export const toOutputKey = ({ transactionId, output }: { transactionId: string; output: number }) =>
  `${transactionId}:${output}`;

export async function saveKnownBalances(
  ctx: Ctx,
  { chain, asset }: Asset,
  compared: readonly { id: bigint; known: KnownBalance }[],
): Promise<void> {
  await ctx.db.query(
    `insert into held_amounts (chain, asset, address_id, height, held_units, deposit_units, by_hand_units, unexplained_units, unexplained_after)
     select $1, $2, compared.*
       from unnest($3::bigint[], $4::bigint[], $5::numeric[], $6::numeric[], $7::numeric[], $8::numeric[], $9::bigint[]) as compared
     on conflict (chain, asset, address_id) do update
        set height = excluded.height, held_units = excluded.held_units, deposit_units = excluded.deposit_units,
            by_hand_units = excluded.by_hand_units, unexplained_units = excluded.unexplained_units,
            unexplained_after = excluded.unexplained_after`,
    [
      chain,
      asset,
      compared.map(({ id }) => id),
      compared.map(({ known }) => known.height),
      compared.map(({ known }) => known.balanceUnits),
      compared.map(({ known }) => known.depositUnits),
      compared.map(({ known }) => known.byHandUnits),
      compared.map(({ known }) => known.unexplainedUnits),
      compared.map(({ known }) => known.unexplainedAfter ?? null),
    ],
  );
}

export interface Difference {
  asset: string;
  address: string;
  units: bigint;
  afterHeight: bigint | null;
}

/** What nothing explains, the largest first within a currency. */
export async function listDifferences(ctx: Ctx, chain: Chain, limit: number): Promise<Difference[]> {
  const rows = await ctx.db.query<Omit<Difference, 'units'> & { units: string }>(
    `select asset, address, unexplained_units as units, unexplained_after as "afterHeight"
       from held_amounts join deposit_addresses on deposit_addresses.id = address_id
      where chain = $1 and unexplained_units > 0 order by asset, unexplained_units desc, address_id limit $2`,
    [chain, limit],
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}

/** The operator knows where the money of an address came from. @returns how many currencies had something unexplained */
export async function acceptDifferences(ctx: Ctx, chain: Chain, address: string): Promise<number> {
  const rows = await ctx.db.query(
    `update held_amounts set unexplained_units = 0, unexplained_after = null
       from deposit_addresses
      where deposit_addresses.id = address_id and chain = $1 and address = $2 and unexplained_units > 0 returning 1`,
    [chain, address],
  );
  return rows.length;
}

const toNumber = (height: bigint | null) => (height === null ? undefined : Number(height));
