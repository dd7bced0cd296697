/** Reads deposits: payments to our addresses, and those that staff record by hand. `deposit-changes.store.ts` writes them. */
import type { Ctx } from '../../ctx.ts';
import type { ObservedPayment } from '../../payments/chains/watcher.ts';
import type { Chain } from '../../payments/currencies.ts';

export type DepositState = 'SEEN' | 'INCLUDED' | 'FINAL' | 'CREDITED' | 'ORPHANED' | 'REPLACED' | 'REVERSED';
export type SuspensionReason = 'LARGE' | 'SOURCES_DISAGREE' | 'SETTLED' | 'DEPEG';

/** Undefined and null: there is none yet. */
export interface Deposit {
  id: string;
  chain: Chain;
  asset: string;
  /** Of a deposit by hand: the id of the request of staff. */
  transactionId: string;
  output: number;
  address: string;
  /** Null: the chain does not say, or it was stored before 0.5.0. */
  sender: string | null;
  units: bigint;
  state: DepositState;
  isCredited: boolean;
  /** Recorded by staff. */
  isByHand: boolean;
  /** Of the current chain; undefined in the memory pool, and in deposits by hand. */
  block: ObservedPayment['block'];
  confirmationsMin: number;
  /** It is only in the memory pool and signals that it may be replaced. */
  isReplaceable: boolean;
  /** It was in a block that has left the chain. */
  isOrphaned: boolean;
  /** The scanned height when it was first missing in blocks and in the pool. */
  missingHeight: number | undefined;
  /** Its credit must be reversed. */
  isGone: boolean;
  /** It was reversed and is final again. */
  isReturned: boolean;
  arrivedAt: Date;
  firstSeenAt: Date;
  arrivalRateE12: bigint | undefined;
  invoice: { id: string; rateE12: bigint; expiredAt: Date } | undefined;
  hold: SuspensionReason | null;
  isSuspended: boolean;
  /** By the operator: the checks before a credit are skipped. */
  isResumed: boolean;
  /** The rate that staff have chosen for a stablecoin without its peg. */
  decidedRateE12: bigint | undefined;
  creditedMicros: bigint | null;
  creditedRateE12: bigint | undefined;
  creditedAt: Date | null;
  /** Taken back from the customer. */
  reversedMicros: bigint | null;
  reversedAt: Date | null;
  reversalCount: number;
  /** The number of its receipt. */
  receipt: number | null;
  /** Null: the address was shown in a time that a restore of the database has lost, and the payment is unassigned. */
  userId: string | null;
  /** Its address belongs to no user; the payment may be assigned to one. */
  isLost: boolean;
}

export interface OwnedDeposit extends Deposit {
  userId: string;
  userEmail: string;
  accountId: bigint;
}

/** The driver returns `numeric` as text. */
interface Stored {
  units: string;
  arrivalRateE12: string | null;
  decidedRateE12: string | null;
  creditedRateE12: string | null;
  missingHeight: bigint | null;
  blockHeight: bigint | null;
  blockHash: string | null;
  blockAt: Date | null;
  invoiceId: string | null;
  rateE12: string | null;
  expiredAt: Date | null;
}

/**
 * The condition of a suspended deposit. A stablecoin without its peg waits for a rate of staff, even if the operator has resumed the chain; the
 * others for the operator, even if staff have chosen a rate.
 */
export const IS_SUSPENDED = `(hold is not null and case when hold = 'DEPEG' then decided_rate_e12 is null else released_at is null end)`;
/** Whom a deposit belongs to; null: unknown. */
export const OWNER = 'coalesce(assigned_to, deposit_addresses.user_id)';
const COLUMNS = `
  deposits.id, chain, asset, transaction_id as "transactionId", output, address, sender, units, state, state = 'CREDITED' as "isCredited",
  is_by_hand as "isByHand", block_height as "blockHeight", block_hash as "blockHash", block_at as "blockAt",
  confirmations_min as "confirmationsMin", state = 'SEEN' and is_replaceable as "isReplaceable", orphaned_at is not null as "isOrphaned",
  missing_height as "missingHeight", gone_at is not null as "isGone", returned_at is not null as "isReturned", arrived_at as "arrivedAt",
  first_seen_at as "firstSeenAt", arrival_rate_e12 as "arrivalRateE12", invoice_id as "invoiceId", invoices.rate_e12 as "rateE12",
  invoices.expired_at as "expiredAt", hold, ${IS_SUSPENDED} as "isSuspended", released_at is not null as "isResumed",
  decided_rate_e12 as "decidedRateE12", credited_micros as "creditedMicros", credited_rate_e12 as "creditedRateE12",
  credited_at as "creditedAt", reversed_micros as "reversedMicros", reversed_at as "reversedAt", reversal_count as "reversalCount",
  number as receipt, ${OWNER} as "userId", deposit_addresses.user_id is null as "isLost"`;
export const FROM = `
    from deposits
    join deposit_addresses on deposit_addresses.id = deposits.address_id
    left join invoices on invoices.id = invoice_id
    left join top_up_receipts on deposit_id = deposits.id`;
export const DEPOSIT = `select ${COLUMNS} ${FROM}`;
export const BY_OWNER = `${FROM} join readable_users as owner on owner.id = ${OWNER}`;
export const OWNED = `select ${COLUMNS}, email as "userEmail", account_id as "accountId" ${BY_OWNER}`;

export async function select<Row extends Deposit = Deposit>(ctx: Ctx, text: string, values: unknown[]): Promise<Row[]> {
  const rows = await ctx.db.query<Omit<Row, keyof Stored> & Stored>(text, values);
  return rows.map((row) => toDeposit(row) as Row);
}

function toDeposit({ blockHeight, blockHash, blockAt, invoiceId, rateE12, expiredAt, ...row }: Stored) {
  const isIncluded = blockHeight !== null && blockHash !== null && blockAt !== null;
  const hasInvoice = invoiceId !== null && rateE12 !== null && expiredAt !== null;
  return {
    ...row,
    units: BigInt(row.units),
    arrivalRateE12: toRate(row.arrivalRateE12),
    decidedRateE12: toRate(row.decidedRateE12),
    creditedRateE12: toRate(row.creditedRateE12),
    missingHeight: row.missingHeight === null ? undefined : Number(row.missingHeight),
    block: isIncluded ? { height: Number(blockHeight), hash: blockHash, time: blockAt } : undefined,
    invoice: hasInvoice ? { id: invoiceId, rateE12: BigInt(rateE12), expiredAt } : undefined,
  };
}

const toRate = (stored: string | null) => (stored === null ? undefined : BigInt(stored));

/** The condition of the partial index deposits_in_motion. */
const IN_MOTION = `(state in ('SEEN', 'INCLUDED') or (state = 'CREDITED' and orphaned_at is not null))`;

export async function hasInMotion(ctx: Ctx, chain: Chain): Promise<boolean> {
  const rows = await ctx.db.query(`select from deposits where chain = $1 and ${IN_MOTION} limit 1`, [chain]);
  return rows.length > 0;
}

/** Locks the deposits of these payments, those in blocks that have left the chain, and those that a new head may change. */
export function lockAffected(
  ctx: Ctx,
  chain: Chain,
  payments: readonly ObservedPayment[],
  orphanedBlockHashes: readonly string[],
): Promise<Deposit[]> {
  return select(
    ctx,
    `${DEPOSIT}
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
}

/** The deposits of these transactions, locked. */
export function lockByTransaction(
  ctx: Ctx,
  chain: Chain,
  payments: readonly Pick<ObservedPayment, 'asset' | 'transactionId'>[],
): Promise<Deposit[]> {
  return select(
    ctx,
    `${DEPOSIT} where chain = $1 and not is_by_hand and (asset, transaction_id) in (select * from unnest($2::text[], $3::text[]))
      order by deposits.id for no key update of deposits`,
    [chain, payments.map(({ asset }) => asset), payments.map(({ transactionId }) => transactionId)],
  );
}

/** The deposits of these addresses in these blocks. */
export function listInBlocks(
  ctx: Ctx,
  chain: Chain,
  payments: readonly { asset: string; address: string; block: { hash: string } }[],
): Promise<Deposit[]> {
  return select(
    ctx,
    `${DEPOSIT} where chain = $1 and (asset, address, block_hash) in (select * from unnest($2::text[], $3::text[], $4::text[]))`,
    [
      chain,
      payments.map(({ asset }) => asset),
      payments.map(({ address }) => address),
      payments.map(({ block }) => block.hash),
    ],
  );
}

/** Deposits that may be credited: those that never were, and reversed ones that are final again. */
export type CreditableState = 'FINAL' | 'REVERSED';
const MAY_BE_CREDITED = `not ${IS_SUSPENDED} and owner.status <> 'DELETED'`;
/** Each begins with the condition of a partial index. Nobody could spend the credit of a deleted account. */
const creditable: Record<CreditableState, string> = {
  FINAL: `state = 'FINAL' and ${MAY_BE_CREDITED}`,
  REVERSED: `state = 'REVERSED' and block_hash is not null and returned_at is not null and ${MAY_BE_CREDITED}`,
};
export const SUSPENDED = `(state = 'FINAL' or (state = 'REVERSED' and block_hash is not null)) and ${IS_SUSPENDED} and owner.status <> 'DELETED'`;

/** Ordered by arrival. @param afterId the last deposit of the previous page; null for the first page */
export function listCreditable(
  ctx: Ctx,
  chain: Chain,
  state: CreditableState,
  afterId: string | null,
  limit: number,
): Promise<OwnedDeposit[]> {
  return select<OwnedDeposit>(
    ctx,
    `${OWNED} where chain = $1 and ${creditable[state]}
        and ($2::uuid is null
             or (arrived_at, deposits.id) > (select before.arrived_at, before.id from deposits as before where before.id = $2))
      order by arrived_at, deposits.id limit $3`,
    [chain, afterId, limit],
  );
}

const SKIP_LOCKED = 'for no key update of deposits skip locked';

/** @returns undefined if another transaction has it locked, or if the condition does not hold any more */
async function lockOwned(ctx: Ctx, id: string, condition: string): Promise<OwnedDeposit | undefined> {
  const [deposit] = await select<OwnedDeposit>(ctx, `${OWNED} where deposits.id = $1 and ${condition}`, [id]);
  return deposit;
}

/** Locks the user's row as well, so that the account is not deleted meanwhile. */
export const lockFinal = (ctx: Ctx, id: string) =>
  lockOwned(ctx, id, `${creditable.FINAL} ${SKIP_LOCKED} for share of owner`);

export const lockReturned = (ctx: Ctx, id: string) => lockOwned(ctx, id, `${creditable.REVERSED} ${SKIP_LOCKED}`);

export const lockGone = (ctx: Ctx, id: string) =>
  lockOwned(ctx, id, `state = 'CREDITED' and gone_at is not null ${SKIP_LOCKED}`);

export const lockWaitingForPeg = (ctx: Ctx, id: string) =>
  lockOwned(ctx, id, `${SUSPENDED} and hold = 'DEPEG' ${SKIP_LOCKED}`);

/** Credited deposits that have left their chain for good. */
export async function listGone(ctx: Ctx, chain: Chain, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from deposits where chain = $1 and state = 'CREDITED' and orphaned_at is not null and gone_at is not null
      order by id limit $2`,
    [chain, limit],
  );
  return rows.map(({ id }) => id);
}

export async function hasWaitingForPeg(ctx: Ctx, chain: Chain): Promise<boolean> {
  const rows = await ctx.db.query(
    `select from deposits where chain = $1 and state = 'FINAL' and hold = 'DEPEG' and decided_rate_e12 is null limit 1`,
    [chain],
  );
  return rows.length > 0;
}

/**
 * Whether staff have settled about the same amount at the same address after the payment had arrived, so that it is probably the same
 * one. About: they settle what is due, and exchanges deduct fees.
 */
export async function isSettledByHand(ctx: Ctx, id: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `select from deposits join deposits as settled using (address_id, chain, asset)
      where deposits.id = $1 and settled.is_by_hand and settled.credited_at > deposits.arrived_at
        and abs(settled.units - deposits.units) * 20 <= deposits.units limit 1`,
    [id],
  );
  return rows.length > 0;
}
