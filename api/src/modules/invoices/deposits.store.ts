import type { Ctx } from '../../ctx.ts';
import { IS_SUSPENDED, OWNER } from './suspended-payments.store.ts';

export interface FinalDeposit {
  id: string;
  asset: string;
  transactionId: string;
  output: number;
  address: string;
  units: bigint;
  /** These are null in deposits by hand. */
  blockHeight: bigint | null;
  blockHash: string | null;
  blockAt: Date | null;
  arrivedAt: Date;
  arrivalRateE12: bigint | undefined;
  invoice: { rateE12: bigint } | undefined;
  /** Resumed by the operator: the checks before a credit are skipped. */
  isResumed: boolean;
  /** The rate that staff have chosen for a stablecoin without its peg. */
  decidedRateE12: bigint | undefined;
  userId: string;
}

type StoredFinalDeposit = Omit<FinalDeposit, 'units' | 'arrivalRateE12' | 'decidedRateE12' | 'invoice'> & {
  units: string;
  arrivalRateE12: string | null;
  decidedRateE12: string | null;
  rateE12: string | null;
};

/** Deposits that may be credited: those that never were, and reversed ones that are final again. */
export type CreditableState = 'FINAL' | 'REVERSED';
/** The conditions of the partial indexes. */
const creditable: Record<CreditableState, string> = {
  FINAL: `state = 'FINAL'`,
  REVERSED: `state = 'REVERSED' and block_hash is not null and returned_at is not null`,
};

/** Leaves out suspended deposits, and those of deleted accounts, which nobody could spend. Ordered by arrival. @param afterId the last deposit of the previous page; null for the first page */
export async function listCreditable(
  ctx: Ctx,
  chain: string,
  state: CreditableState,
  afterId: string | null,
  limit: number,
): Promise<FinalDeposit[]> {
  const rows = await ctx.db.query<StoredFinalDeposit>(
    `select deposits.id, asset, transaction_id as "transactionId", output, address, units, block_height as "blockHeight",
            block_hash as "blockHash", block_at as "blockAt", arrived_at as "arrivedAt", arrival_rate_e12 as "arrivalRateE12",
            invoices.rate_e12 as "rateE12", released_at is not null as "isResumed",
            decided_rate_e12 as "decidedRateE12", users.id as "userId"
       from deposits
       join deposit_addresses on deposit_addresses.id = deposits.address_id
       join readable_users as users on users.id = ${OWNER} and users.status <> 'DELETED'
       left join invoices on invoices.id = invoice_id
      where chain = $1 and ${creditable[state]} and not ${IS_SUSPENDED}
        and ($2::uuid is null
             or (arrived_at, deposits.id) > (select before.arrived_at, before.id from deposits as before where before.id = $2))
      order by arrived_at, deposits.id limit $3`,
    [chain, afterId, limit],
  );
  return rows.map(({ rateE12, ...row }) => ({
    ...row,
    units: BigInt(row.units),
    arrivalRateE12: toRate(row.arrivalRateE12),
    decidedRateE12: toRate(row.decidedRateE12),
    invoice: rateE12 === null ? undefined : { rateE12: BigInt(rateE12) },
  }));
}

function toRate(stored: string | null): bigint | undefined {
  return stored === null ? undefined : BigInt(stored);
}

export interface LockedDeposit {
  id: string;
  units: bigint;
  arrivedAt: Date;
  arrivalRateE12: bigint | undefined;
  decidedRateE12: bigint | undefined;
  blockHash: string | null;
  invoiceId: string | null;
  userId: string;
  accountId: bigint;
}

/** The driver returns `numeric` as text. */
type StoredDeposit = Omit<LockedDeposit, 'units' | 'arrivalRateE12' | 'decidedRateE12'> & {
  units: string;
  arrivalRateE12: string | null;
  decidedRateE12: string | null;
};

/**
 * Locks the user's row as well, so that the account is not deleted meanwhile.
 * @returns undefined if it can no longer be credited, or if another transaction has it locked
 */
export async function lockFinal(ctx: Ctx, id: string): Promise<LockedDeposit | undefined> {
  const [row] = await ctx.db.query<StoredDeposit>(
    `select deposits.id, units, arrived_at as "arrivedAt", arrival_rate_e12 as "arrivalRateE12", block_hash as "blockHash",
            decided_rate_e12 as "decidedRateE12", invoice_id as "invoiceId", payer.id as "userId", account_id as "accountId"
       from deposits
       join deposit_addresses on deposit_addresses.id = address_id
       join readable_users as payer on payer.id = ${OWNER} and payer.status <> 'DELETED'
      where deposits.id = $1 and state = 'FINAL' and not ${IS_SUSPENDED}
        for no key update of deposits skip locked for share of payer`,
    [id],
  );
  if (!row) return undefined;
  const rates = { arrivalRateE12: toRate(row.arrivalRateE12), decidedRateE12: toRate(row.decidedRateE12) };
  return { ...row, units: BigInt(row.units), ...rates };
}

export async function saveCredited(ctx: Ctx, id: string, creditedMicros: bigint, rateE12: bigint): Promise<void> {
  await ctx.db.query(
    `update deposits set state = 'CREDITED', credited_micros = $2, credited_rate_e12 = $3, credited_at = now()
      where id = $1`,
    [id, creditedMicros, rateE12],
  );
}

/** Credited deposits that have left their chain for good. */
export async function listGone(ctx: Ctx, chain: string, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from deposits where chain = $1 and state = 'CREDITED' and orphaned_at is not null and gone_at is not null
      order by id limit $2`,
    [chain, limit],
  );
  return rows.map(({ id }) => id);
}

export interface GoneDeposit {
  transactionId: string;
  blockHash: string | null;
  creditedMicros: bigint;
  invoiceId: string | null;
  userId: string;
  accountId: bigint;
  /** Earlier ones. */
  reversalCount: number;
}

/** @returns undefined if it was reversed or has returned, or if another transaction has it locked */
export function lockGone(ctx: Ctx, id: string): Promise<GoneDeposit | undefined> {
  return lockCredited(ctx, id, `state = 'CREDITED' and gone_at is not null`);
}

/** @returns undefined if it was restored or has left its block, or if another transaction has it locked */
export async function lockReturned(ctx: Ctx, id: string, blockHash: string | null): Promise<GoneDeposit | undefined> {
  const deposit = await lockCredited(
    ctx,
    id,
    `${creditable.REVERSED} and not ${IS_SUSPENDED} and users.status <> 'DELETED'`,
  );
  return deposit?.blockHash === blockHash ? deposit : undefined;
}

async function lockCredited(ctx: Ctx, id: string, condition: string): Promise<GoneDeposit | undefined> {
  const [row] = await ctx.db.query<GoneDeposit>(
    `select transaction_id as "transactionId", block_hash as "blockHash", credited_micros as "creditedMicros",
            invoice_id as "invoiceId", users.id as "userId", account_id as "accountId", reversal_count as "reversalCount"
       from deposits
       join deposit_addresses on deposit_addresses.id = address_id
       join readable_users as users on users.id = ${OWNER}
      where deposits.id = $1 and ${condition} for no key update of deposits skip locked`,
    [id],
  );
  return row;
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

/** Deposits that are not credited yet, by chain, unless their account is deleted; there are few. */
export function countOpen(ctx: Ctx): Promise<{ chain: string; count: number; heldCount: number }[]> {
  return ctx.db.query(
    `select chain, count(*)::int as count, (count(*) filter (where ${IS_SUSPENDED}))::int as "heldCount"
       from deposits
       join deposit_addresses on deposit_addresses.id = address_id
       join readable_users as users on users.id = ${OWNER} and users.status <> 'DELETED'
      where credited_at is null and state in ('SEEN', 'INCLUDED', 'FINAL') group by chain`,
  );
}

/** To whom a transaction paid that also paid to the user: one wallet sent it. */
export async function listPaidTogether(ctx: Ctx, userId: string, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    `select distinct other_addresses.user_id as "userId"
       from deposit_addresses as own_addresses
       join deposits as own on own.address_id = own_addresses.id
       join deposits as others on others.transaction_id = own.transaction_id and others.chain = own.chain
       join deposit_addresses as other_addresses on other_addresses.id = others.address_id
      where own_addresses.user_id = $1 and other_addresses.user_id <> $1 order by 1 limit $2`,
    [userId, limit],
  );
  return rows.map((row) => row.userId);
}
