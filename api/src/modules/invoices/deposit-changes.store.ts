/** Writes deposits. `deposits.store.ts` reads them. */
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import type { ObservedPayment } from '../../payments/chains/watcher.ts';
import { addressSpaces, type Chain } from '../../payments/currencies.ts';
import { type Deposit, IS_SUSPENDED, type SuspensionReason } from './deposits.store.ts';

/** Bitcoin accepts blocks whose time is about an hour in the past; other chains are stricter. */
const CLOCK_BEHIND_MS_MAX = 2 * 3_600_000;

export interface FoundPayment extends ObservedPayment {
  currency: Currency;
  arrivalRateE12: bigint | undefined;
  /** An invoice that is newer than the arrival by no more than this may have been paid. */
  slackMs: number;
}

/**
 * Inserts a deposit, unless it is known. It belongs to the newest invoice of its address and currency that existed when it arrived; this
 * never changes. A payment that seems to be older than all invoices of its address belongs to the first one, unless it is hours older.
 * @returns the invoice's id; undefined if there is none or the deposit is known
 */
export async function insertDeposit(ctx: Ctx, chain: Chain, payment: FoundPayment): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ invoiceId: string | null }>(
    `insert into deposits (chain, asset, transaction_id, output, units, state, arrived_at, arrival_rate_e12, address_id, invoice_id,
                           confirmations_min, is_replaceable, sender)
     select $1, $2, $3, $4, $5, 'SEEN', $6, $7, deposit_addresses.id,
            coalesce(
              (select invoices.id from invoices
                where address_id = deposit_addresses.id and currency = $8 and invoices.created_at <= $6::timestamptz + $12 * interval '1 millisecond'
                order by invoices.created_at desc, invoices.id limit 1),
              (select invoices.id from invoices
                where address_id = deposit_addresses.id and currency = $8 and invoices.created_at <= $6::timestamptz + $13 * interval '1 millisecond'
                order by invoices.created_at, invoices.id limit 1)), $11, $14, $15
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
      payment.currency,
      addressSpaces[chain],
      payment.address,
      payment.confirmationsMin ?? 0,
      payment.slackMs,
      CLOCK_BEHIND_MS_MAX,
      payment.isReplaceable ?? false,
      payment.sender ?? null,
    ],
  );
  return row?.invoiceId ?? undefined;
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

export interface Observation extends Pick<
  Deposit,
  'state' | 'block' | 'isOrphaned' | 'missingHeight' | 'isGone' | 'isReturned' | 'arrivedAt' | 'arrivalRateE12'
> {
  /** Undefined: as before. */
  isReplaceable: boolean | undefined;
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

export interface Move {
  id: string;
  output: number;
}

/** Below all numbers of logs and those of deposits whose number another payment has. */
const FIRST_TEMPORARY_OUTPUT = -2_000_000_000;

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

export async function saveCredited(ctx: Ctx, id: string, creditedMicros: bigint, rateE12: bigint): Promise<void> {
  await ctx.db.query(
    `update deposits set state = 'CREDITED', credited_micros = $2, credited_rate_e12 = $3, credited_at = now()
      where id = $1`,
    [id, creditedMicros, rateE12],
  );
}

/** @param takenMicros from the customer */
export async function saveReversed(ctx: Ctx, id: string, takenMicros: bigint): Promise<void> {
  await ctx.db.query(
    `update deposits
        set state = 'REVERSED', reversed_at = now(), reversed_micros = $2, reversal_count = reversal_count + 1
      where id = $1`,
    [id, takenMicros],
  );
}

/** It is credited as it was before its reversal. */
export async function saveRestored(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query(
    `update deposits
        set state = 'CREDITED', reversed_at = null, reversed_micros = null, returned_at = null, gone_at = null,
            missing_height = null
      where id = $1`,
    [id],
  );
}

export interface DepositByHand {
  invoiceId: string;
  addressId: bigint;
  chain: string;
  asset: string;
  /** Identifies the deposit, like the transaction id of a payment on a chain. */
  requestId: string;
  units: bigint;
  amountMicros: bigint;
  rateE12: bigint;
}

/** A deposit that staff record; it is credited in the same transaction. @returns its id */
export async function insertByHand(ctx: Ctx, deposit: DepositByHand): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into deposits (chain, asset, transaction_id, output, address_id, invoice_id, units, state, arrived_at,
                           credited_micros, credited_rate_e12, credited_at, is_by_hand)
     values ($1, $2, $3, 0, $4, $5, $6, 'CREDITED', now(), $7, $8, now(), true) returning id`,
    [
      deposit.chain,
      deposit.asset,
      deposit.requestId,
      deposit.addressId,
      deposit.invoiceId,
      deposit.units,
      deposit.amountMicros,
      deposit.rateE12,
    ],
  );
  return row!.id;
}

/** Not while something else suspends it, which comes first. @returns whether it is suspended now because of this */
export async function suspend(ctx: Ctx, id: string, hold: SuspensionReason): Promise<boolean> {
  const rows = await ctx.db.query(
    `update deposits set hold = $2 where id = $1 and state in ('FINAL', 'REVERSED') and not ${IS_SUSPENDED} returning id`,
    [id, hold],
  );
  return rows.length > 0;
}

/** By the operator; not of a stablecoin without its peg. @returns false if the deposit is not suspended */
export async function resume(ctx: Ctx, id: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `update deposits set released_at = now() where id = $1 and hold <> 'DEPEG' and released_at is null returning id`,
    [id],
  );
  return rows.length > 0;
}

/** What the operator had resumed before stays resumed. */
export async function resumeAtPeg(ctx: Ctx, chain: Chain): Promise<void> {
  await ctx.db.query(
    `update deposits set hold = case when released_at is null then null else 'LARGE' end
      where chain = $1 and state = 'FINAL' and hold = 'DEPEG' and decided_rate_e12 is null`,
    [chain],
  );
}

/** The worker credits it at this rate. */
export async function saveDecidedRate(ctx: Ctx, id: string, rateE12: bigint): Promise<void> {
  await ctx.db.query('update deposits set decided_rate_e12 = $2 where id = $1', [id, rateE12]);
}

export async function saveAssigned(ctx: Ctx, id: string, userId: string): Promise<void> {
  await ctx.db.query('update deposits set assigned_to = $2 where id = $1', [id, userId]);
}
