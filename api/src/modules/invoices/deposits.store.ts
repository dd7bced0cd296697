import type { Currency } from '@cellhop/contract/invoices';
import type { Ctx } from '../../ctx.ts';
import type { ObservedPayment } from '../../payments/chains/watcher.ts';
import type { AddressSpace, CurrencyRules } from '../../payments/currencies.ts';

export async function readCursor(ctx: Ctx, chain: string): Promise<string | null> {
  const [row] = await ctx.db.query<{ cursor: string | null }>('select cursor from chain_cursors where chain = $1', [
    chain,
  ]);
  return row!.cursor;
}

/** The lock serializes all writes of deposits of this chain. */
export async function lockCursor(ctx: Ctx, chain: string): Promise<string | null> {
  const [row] = await ctx.db.query<{ cursor: string | null }>(
    'select cursor from chain_cursors where chain = $1 for update',
    [chain],
  );
  return row!.cursor;
}

export async function saveCursor(ctx: Ctx, chain: string, cursor: string | null): Promise<void> {
  await ctx.db.query('update chain_cursors set cursor = $2 where chain = $1', [chain, cursor]);
}

/** In this order; a deposit never moves back. */
const STAGES = `array['SEEN', 'INCLUDED', 'FINAL', 'CREDITED']`;

/** Finds payments to our addresses that are new or have reached a later stage. @returns their indexes in the list */
export async function findPaymentUpdates(
  ctx: Ctx,
  chain: string,
  space: AddressSpace,
  payments: readonly ObservedPayment[],
): Promise<number[]> {
  const rows = await ctx.db.query<{ position: bigint }>(
    `select position
       from unnest($3::text[], $4::text[], $5::int[], $6::text[], $7::text[])
              with ordinality as payment (asset, transaction_id, output, address, stage, position)
       join deposit_addresses on deposit_addresses.address_space = $2 and deposit_addresses.address = payment.address
       left join deposits on deposits.chain = $1 and deposits.asset = payment.asset
             and deposits.transaction_id = payment.transaction_id and deposits.output = payment.output
      where deposits.id is null or array_position(${STAGES}, payment.stage) > array_position(${STAGES}, deposits.state)
      order by position`,
    [
      chain,
      space,
      payments.map((payment) => payment.asset),
      payments.map((payment) => payment.transactionId),
      payments.map((payment) => payment.output),
      payments.map((payment) => payment.address),
      payments.map((payment) => payment.stage),
    ],
  );
  return rows.map((row) => Number(row.position) - 1);
}

/**
 * Inserts a deposit, or updates the stage of a known one. It belongs to the newest invoice of its address and currency that existed
 * when it arrived; this never changes.
 * @returns the invoice's id; undefined if there is none or nothing changed
 */
export async function upsertDeposit(
  ctx: Ctx,
  currency: Currency,
  { chain, addressSpace }: Pick<CurrencyRules, 'chain' | 'addressSpace'>,
  payment: ObservedPayment,
  arrivalRateE12: bigint | undefined,
): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ invoiceId: string | null }>(
    `insert into deposits (chain, asset, transaction_id, output, units, state, arrived_at, arrival_rate_e12, address_id, invoice_id)
     select $1, $2, $3, $4, $5, $6, $7, $11, deposit_addresses.id,
            (select invoices.id from invoices
              where address_id = deposit_addresses.id and currency = $8 and invoices.created_at <= $7
              order by invoices.created_at desc, invoices.id limit 1)
       from deposit_addresses where address_space = $9 and address = $10
     on conflict (chain, asset, transaction_id, output) do update set state = excluded.state
       where array_position(${STAGES}, excluded.state) > array_position(${STAGES}, deposits.state)
     returning invoice_id as "invoiceId"`,
    [
      chain,
      payment.asset,
      payment.transactionId,
      payment.output,
      payment.units,
      payment.stage,
      payment.arrivedAt,
      currency,
      addressSpace,
      payment.address,
      arrivalRateE12 ?? null,
    ],
  );
  return row?.invoiceId ?? undefined;
}

export interface FinalDeposit {
  id: string;
  asset: string;
  /** False if only the current rate can be used. */
  hasKnownRate: boolean;
}

/** Ordered by arrival. @param afterId the last one of the previous page; null for the first page */
export function listFinal(ctx: Ctx, chain: string, afterId: string | null, limit: number): Promise<FinalDeposit[]> {
  return ctx.db.query(
    `select id, asset, arrival_rate_e12 is not null or invoice_id is not null as "hasKnownRate"
       from deposits
      where chain = $1 and state = 'FINAL'
        and ($2::uuid is null or (arrived_at, id) > (select before.arrived_at, before.id from deposits as before where before.id = $2))
      order by arrived_at, id limit $3`,
    [chain, afterId, limit],
  );
}

export interface LockedDeposit {
  id: string;
  units: bigint;
  arrivedAt: Date;
  arrivalRateE12: bigint | undefined;
  invoiceId: string | null;
  userId: string;
  accountId: bigint;
}

/** The driver returns `numeric` as text. */
type StoredDeposit = Omit<LockedDeposit, 'units' | 'arrivalRateE12'> & { units: string; arrivalRateE12: string | null };

/** @returns undefined if it was credited, or if another transaction has it locked */
export async function lockFinal(ctx: Ctx, id: string): Promise<LockedDeposit | undefined> {
  const [row] = await ctx.db.query<StoredDeposit>(
    `select deposits.id, units, arrived_at as "arrivedAt", arrival_rate_e12 as "arrivalRateE12", invoice_id as "invoiceId", user_id as "userId",
            account_id as "accountId"
       from deposits
       join deposit_addresses on deposit_addresses.id = address_id
       join readable_users as users on users.id = user_id
      where deposits.id = $1 and state = 'FINAL'
        for no key update of deposits skip locked`,
    [id],
  );
  if (!row) return undefined;
  const arrivalRateE12 = row.arrivalRateE12 === null ? undefined : BigInt(row.arrivalRateE12);
  return { ...row, units: BigInt(row.units), arrivalRateE12 };
}

export async function saveCredited(ctx: Ctx, id: string, creditedMicros: bigint, rateE12: bigint): Promise<void> {
  await ctx.db.query(
    `update deposits set state = 'CREDITED', credited_micros = $2, credited_rate_e12 = $3, credited_at = now()
      where id = $1`,
    [id, creditedMicros, rateE12],
  );
}

export interface InvoiceDeposit {
  invoiceId: string;
  units: bigint;
  isCredited: boolean;
  /** Null until it is credited. */
  creditedMicros: bigint | null;
  arrivedAt: Date;
  /** Recorded by staff. */
  isByHand: boolean;
}

export async function listOfInvoices(ctx: Ctx, invoiceIds: readonly string[]): Promise<InvoiceDeposit[]> {
  const rows = await ctx.db.query<Omit<InvoiceDeposit, 'units'> & { units: string }>(
    `select invoice_id as "invoiceId", units, state = 'CREDITED' as "isCredited", credited_micros as "creditedMicros",
            arrived_at as "arrivedAt", is_by_hand as "isByHand"
       from deposits where invoice_id = any($1::uuid[])`,
    [invoiceIds],
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}

export interface DepositDetail extends InvoiceDeposit {
  id: string;
  transactionId: string;
  state: 'SEEN' | 'INCLUDED' | 'FINAL' | 'CREDITED';
  creditedRateE12: bigint | null;
  creditedAt: Date | null;
}

/** The deposits of an invoice in the order of their arrival. */
export async function listDetails(ctx: Ctx, invoiceId: string): Promise<DepositDetail[]> {
  const rows = await ctx.db.query<
    Omit<DepositDetail, 'units' | 'creditedRateE12'> & { units: string; creditedRateE12: string | null }
  >(
    `select id, invoice_id as "invoiceId", transaction_id as "transactionId", units, state, state = 'CREDITED' as "isCredited",
            credited_micros as "creditedMicros", credited_rate_e12 as "creditedRateE12", credited_at as "creditedAt",
            arrived_at as "arrivedAt", is_by_hand as "isByHand"
       from deposits where invoice_id = $1 order by arrived_at, id`,
    [invoiceId],
  );
  return rows.map((row) => ({
    ...row,
    units: BigInt(row.units),
    creditedRateE12: row.creditedRateE12 === null ? null : BigInt(row.creditedRateE12),
  }));
}

export interface DepositByHand {
  invoiceId: string;
  addressId: bigint;
  chain: string;
  asset: string;
  /** Identifies it, as a transaction identifies a payment of a chain. */
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

/** Deposits that are not credited yet, by chain; there are few. */
export function countOpen(ctx: Ctx): Promise<{ chain: string; count: number }[]> {
  return ctx.db.query('select chain, count(*)::int as count from deposits where credited_at is null group by chain');
}
