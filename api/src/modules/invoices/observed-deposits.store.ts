/** Changes of deposits by polls of their chain. */
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import type { ObservedPayment } from '../../payments/chains/watcher.ts';
import type { Chain, CurrencyRules } from '../../payments/currencies.ts';
import type { Arrival } from './arrival-time.ts';
import type { DepositState } from './deposit-state.ts';

/** The condition of the partial index deposits_in_motion. */
const IN_MOTION = `(state in ('SEEN', 'INCLUDED') or (state = 'CREDITED' and orphaned_at is not null))`;

/** Bitcoin accepts blocks whose time is about an hour in the past; other chains are stricter. */
const CLOCK_BEHIND_MS_MAX = 2 * 3_600_000;

export async function hasInMotion(ctx: Ctx, chain: Chain): Promise<boolean> {
  const rows = await ctx.db.query(`select from deposits where chain = $1 and ${IN_MOTION} limit 1`, [chain]);
  return rows.length > 0;
}

export interface FoundPayment extends ObservedPayment, Arrival {
  arrivalRateE12: bigint | undefined;
}

/**
 * Inserts a deposit, unless it is known. It belongs to the newest invoice of its address and currency that existed when it arrived; this
 * never changes. A payment that seems to be older than all invoices of its address belongs to the first one, unless it is hours older.
 * @returns the invoice's id; undefined if there is none or the deposit is known
 */
export async function insertDeposit(
  ctx: Ctx,
  currency: Currency,
  { chain, addressSpace }: Pick<CurrencyRules, 'chain' | 'addressSpace'>,
  payment: FoundPayment,
): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ invoiceId: string | null }>(
    `insert into deposits (chain, asset, transaction_id, output, units, state, arrived_at, arrival_rate_e12, address_id, invoice_id,
                           confirmations_min, is_replaceable)
     select $1, $2, $3, $4, $5, 'SEEN', $6, $7, deposit_addresses.id,
            coalesce(
              (select invoices.id from invoices
                where address_id = deposit_addresses.id and currency = $8 and invoices.created_at <= $6::timestamptz + $12 * interval '1 millisecond'
                order by invoices.created_at desc, invoices.id limit 1),
              (select invoices.id from invoices
                where address_id = deposit_addresses.id and currency = $8 and invoices.created_at <= $6::timestamptz + $13 * interval '1 millisecond'
                order by invoices.created_at, invoices.id limit 1)), $11, $14
       from deposit_addresses where address_space = $9 and address = $10
     on conflict (chain, asset, transaction_id, output) do nothing
     returning invoice_id as "invoiceId"`,
    [
      chain,
      payment.asset,
      payment.transactionId,
      payment.output,
      payment.units,
      payment.arrivedAt,
      payment.arrivalRateE12 ?? null,
      currency,
      addressSpace,
      payment.address,
      payment.confirmationsMin ?? 0,
      payment.slackMs,
      CLOCK_BEHIND_MS_MAX,
      payment.isReplaceable ?? false,
    ],
  );
  return row?.invoiceId ?? undefined;
}

export type KnownKey = Pick<ObservedPayment, 'asset' | 'transactionId' | 'output' | 'address'>;

/** The deposits of these transactions. */
export function listOfTransactions(ctx: Ctx, chain: Chain, transactionIds: readonly string[]): Promise<KnownKey[]> {
  return ctx.db.query(
    `select asset, transaction_id as "transactionId", output, address
       from deposits join deposit_addresses on deposit_addresses.id = address_id
      where chain = $1 and transaction_id = any($2::text[]) and not is_by_hand`,
    [chain, transactionIds],
  );
}

/**
 * Before blocks are read again: the addresses of their deposits are watched, so that the deposits are found again.
 * @returns the hashes of blocks with deposits from this height on
 */
export async function unsettleFrom(ctx: Ctx, chain: Chain, fromHeight: number, watchMs: number): Promise<string[]> {
  const rows = await ctx.db.query<{ hash: string }>(
    `with concerned as (select address_id, block_hash from deposits where chain = $1 and block_height >= $2),
          watched as (
            update deposit_addresses set watched_until = greatest(watched_until, now() + $3 * interval '1 millisecond')
             where id in (select address_id from concerned))
     select distinct block_hash as hash from concerned where block_hash is not null`,
    [chain, fromHeight, watchMs],
  );
  return rows.map(({ hash }) => hash);
}

export interface ObservedDeposit {
  id: string;
  asset: string;
  transactionId: string;
  output: number;
  units: bigint;
  state: DepositState;
  block: { height: number; hash: string; time: Date } | undefined;
  confirmationsMin: number;
  isOrphaned: boolean;
  missingHeight: number | undefined;
  isGone: boolean;
  isReturned: boolean;
  arrivedAt: Date;
  arrivalRateE12: bigint | undefined;
  invoice: { id: string; rateE12: bigint; expiredAt: Date } | undefined;
}

interface StoredDeposit {
  id: string;
  asset: string;
  transactionId: string;
  output: number;
  units: string;
  state: DepositState;
  blockHeight: bigint | null;
  blockHash: string | null;
  blockAt: Date | null;
  confirmationsMin: number;
  isOrphaned: boolean;
  missingHeight: bigint | null;
  isGone: boolean;
  isReturned: boolean;
  arrivedAt: Date;
  arrivalRateE12: string | null;
  invoiceId: string | null;
  rateE12: string | null;
  expiredAt: Date | null;
}

/** Locks the deposits of these payments, those in blocks that have left the chain, and those that a new head may change. */
export async function lockAffected(
  ctx: Ctx,
  chain: Chain,
  payments: readonly ObservedPayment[],
  orphanedBlockHashes: readonly string[],
): Promise<ObservedDeposit[]> {
  const rows = await ctx.db.query<StoredDeposit>(
    `select deposits.id, asset, transaction_id as "transactionId", output, units, state, block_height as "blockHeight",
            block_hash as "blockHash", block_at as "blockAt", confirmations_min as "confirmationsMin",
            orphaned_at is not null as "isOrphaned", missing_height as "missingHeight", gone_at is not null as "isGone", returned_at is not null as "isReturned",
            arrived_at as "arrivedAt", arrival_rate_e12 as "arrivalRateE12", invoice_id as "invoiceId",
            invoices.rate_e12 as "rateE12", invoices.expired_at as "expiredAt"
       from deposits left join invoices on invoices.id = invoice_id
      where deposits.id in (
        select id from deposits
          join unnest($2::text[], $3::text[], $4::int[]) as payment (asset, transaction_id, output)
         using (asset, transaction_id, output)
         where chain = $1
        union select id from deposits where chain = $1 and block_hash = any($5::text[])
        union select id from deposits where chain = $1 and ${IN_MOTION}
        union select id from deposits where chain = $1 and state = 'REVERSED' and block_hash is not null)
      order by deposits.id for no key update of deposits`,
    [
      chain,
      payments.map(({ asset }) => asset),
      payments.map(({ transactionId }) => transactionId),
      payments.map(({ output }) => output),
      orphanedBlockHashes,
    ],
  );
  return rows.map(toDeposit);
}

export interface Observation {
  state: DepositState;
  /** Undefined: as before. */
  isReplaceable: boolean | undefined;
  block: ObservedDeposit['block'];
  isOrphaned: boolean;
  missingHeight: number | undefined;
  isGone: boolean;
  isReturned: boolean;
  arrivedAt: Date;
  arrivalRateE12: bigint | undefined;
}

export async function saveObservation(ctx: Ctx, id: string, observation: Observation): Promise<void> {
  const { state, isReplaceable, block, isOrphaned, missingHeight, isGone, isReturned, arrivedAt, arrivalRateE12 } =
    observation;
  await ctx.db.query(
    `update deposits
        set state = $2, block_height = $3, block_hash = $4, block_at = $5, missing_height = $7, arrived_at = $9, arrival_rate_e12 = $10,
            orphaned_at = case when $6 then coalesce(orphaned_at, now()) end,
            gone_at = case when $8 then coalesce(gone_at, now()) end,
            returned_at = case when $11 then coalesce(returned_at, now()) end,
            is_replaceable = coalesce($12, is_replaceable)
      where id = $1`,
    [
      id,
      state,
      block?.height ?? null,
      block?.hash ?? null,
      block?.time ?? null,
      isOrphaned,
      missingHeight ?? null,
      isGone,
      arrivedAt,
      arrivalRateE12 ?? null,
      isReturned,
      isReplaceable ?? null,
    ],
  );
}

function toDeposit(row: StoredDeposit): ObservedDeposit {
  const { blockHeight, blockHash, blockAt, missingHeight, invoiceId, rateE12, expiredAt, ...rest } = row;
  const isIncluded = blockHeight !== null && blockHash !== null && blockAt !== null;
  const hasInvoice = invoiceId !== null && rateE12 !== null && expiredAt !== null;
  return {
    ...rest,
    units: BigInt(row.units),
    block: isIncluded ? { height: Number(blockHeight), hash: blockHash, time: blockAt } : undefined,
    missingHeight: missingHeight === null ? undefined : Number(missingHeight),
    arrivalRateE12: row.arrivalRateE12 === null ? undefined : BigInt(row.arrivalRateE12),
    invoice: hasInvoice ? { id: invoiceId, rateE12: BigInt(rateE12), expiredAt } : undefined,
  };
}

export interface KnownDeposit extends Pick<
  ObservedPayment,
  'asset' | 'transactionId' | 'output' | 'address' | 'units'
> {
  id: string;
  /** Null if it is in no block of the current chain. */
  blockHash: string | null;
  /** It was in a block that has left the chain. */
  isOrphaned: boolean;
}

export interface Move {
  id: string;
  output: number;
}

/** Below all numbers of logs and those of deposits whose number another payment has. */
const FIRST_TEMPORARY_OUTPUT = -2_000_000_000;

interface StoredKnownDeposit extends Omit<KnownDeposit, 'units'> {
  units: string;
}

/** The deposits of these transactions, locked. */
export async function lockByTransaction(
  ctx: Ctx,
  chain: Chain,
  payments: readonly Pick<ObservedPayment, 'asset' | 'transactionId'>[],
): Promise<KnownDeposit[]> {
  const rows = await ctx.db.query<StoredKnownDeposit>(
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
  const rows = await ctx.db.query<StoredKnownDeposit>(
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
