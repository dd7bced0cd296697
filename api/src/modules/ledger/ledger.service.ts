/**
 * The double-entry ledger. Transfers, balances, escrow and holds are only written by SQL functions in api/sql/. This module calls
 * post_transfers, refund_megabytes and release_hold. connections/ and billing/ call buy_proxy and charge_reports, because each is
 * one statement together with what it charges for.
 *
 * ARCHITECTURE.md has the lock order of all that moves money. A customer's connections change only under the lock of their account, but for encrypted passwords (key-rotation/).
 */
import { AppError } from '@cellhop/contract/errors';
import assert from 'node:assert/strict';
import pg from 'pg';
import type { Ctx } from '../../ctx.ts';
import * as store from './ledger.store.ts';

/** System accounts; their ids are below those of all others. */
export const systemAccounts = { external: 1n, revenue: 2n, bonus: 3n, loss: 4n, adjustment: 5n } as const;
export const FIRST_CUSTOMER_ACCOUNT = 1000n;

export interface Transfer {
  /** One per business event, so that posting it again changes nothing. */
  idempotencyKey: string;
  debitAccountId: bigint;
  creditAccountId: bigint;
  amountMicros: bigint;
  reason: 'TOP_UP' | 'TRIAL' | 'REFERRAL_BONUS' | 'SETTLE' | 'ADJUSTMENT' | 'REVERSAL' | 'RESTORATION';
}

/** A refund at the end of a connection, the next charge of its receipt (docs/receipts.md). */
export interface Refund {
  connectionId: string;
  payerAccountId: bigint;
  /** Megabytes `from` (inclusive) to `to` (exclusive), counted from 0: the last of the charged ones. */
  megabytes: { from: bigint; to: bigint };
}

export interface Balance {
  accountId: bigint;
  balanceMicros: bigint;
  /** The part of the balance that is reserved for grants. */
  heldMicros: bigint;
}

/** Opens a customer's account. Escrow accounts are created with their connections. */
export function openAccount(ctx: Ctx): Promise<bigint> {
  return store.insertAccount(ctx);
}

/** Reads without a lock: only for display, never for decisions. */
export async function readBalance(ctx: Ctx, accountId: bigint): Promise<Balance> {
  const balance = (await readBalances(ctx, [accountId])).get(accountId);
  assert(balance, `account ${accountId} does not exist`);
  return balance;
}

/** Like `readBalance`, in one query. */
export async function readBalances(ctx: Ctx, accountIds: readonly bigint[]): Promise<Map<bigint, Balance>> {
  return byAccount(await store.findBalances(ctx, accountIds));
}

/** The referral bonuses of an account, less what reversals took back and restorations did not return. */
export function sumReferralBonuses(ctx: Ctx, accountId: bigint): Promise<bigint> {
  return store.sumReceived(ctx, accountId, systemAccounts.bonus, ['REFERRAL_BONUS', 'REVERSAL', 'RESTORATION']);
}

/** Transfers with these idempotency keys that were posted. */
export function findTransfers(ctx: Ctx, idempotencyKeys: readonly string[]): Promise<Transfer[]> {
  return store.findTransfers(ctx, idempotencyKeys);
}

/** Locks customers' accounts until the end of the transaction, so decisions based on the balances stay valid. */
export async function lockBalances(ctx: Ctx, accountIds: readonly bigint[]): Promise<Map<bigint, Balance>> {
  return byAccount(await store.lockAccounts(ctx, accountIds));
}

export async function lockBalance(ctx: Ctx, accountId: bigint): Promise<Balance> {
  const balance = (await lockBalances(ctx, [accountId])).get(accountId);
  assert(balance, `account ${accountId} does not exist`);
  return balance;
}

/**
 * Posts transfers and updates the balances, in the caller's transaction. Call it once, as the last change of a transaction, because
 * it locks the shared system accounts.
 * @returns the new idempotency keys; the others were posted before and changed nothing
 * @throws AppError SMALL_BALANCE if a customer's balance would become negative; the transaction is then aborted
 */
export async function post(ctx: Ctx, transfers: readonly Transfer[]): Promise<ReadonlySet<string>> {
  const customers = customersIn(transfers);
  const locked = customers.length === 0 ? [] : await store.lockAccounts(ctx, customers);
  assert.equal(locked.length, customers.length, 'a transfer refers to an account that does not exist');
  return postLocked(ctx, transfers);
}

/**
 * Like `post`, for callers that hold the locks of the customers' accounts, which guard their escrow accounts too.
 */
export async function postLocked(ctx: Ctx, requested: readonly Transfer[]): Promise<ReadonlySet<string>> {
  const transfers = uniqueByKey(requested);
  if (transfers.length === 0) return new Set();
  const keys = await reportSmallBalance(store.postTransfers(ctx, transfers));
  for (const transfer of transfers) publishBalanceChange(ctx, transfer);
  return new Set(keys);
}

/** Refunds a connection. The caller has locked the payer's account. */
export async function refund(ctx: Ctx, refund: Refund): Promise<void> {
  assert(await store.refundMegabytes(ctx, refund), 'a refund refers to a connection that does not exist');
  ctx.changed({ accountId: refund.payerAccountId }, 'balance');
}

/** Releases a hold. The caller has locked the payer's account. */
export async function release(ctx: Ctx, payerAccountId: bigint, micros: bigint): Promise<void> {
  if (micros === 0n) return;
  assert(await store.releaseHold(ctx, payerAccountId, micros), `account ${payerAccountId} does not exist`);
  ctx.changed({ accountId: payerAccountId }, 'balance');
}

/** For incremental checks. */
export { updateStoredSums } from './sums.ts';
export { findEnd, findSettledTransfer } from './sums.store.ts';

function byAccount(balances: readonly Balance[]): Map<bigint, Balance> {
  return new Map(balances.map((balance) => [balance.accountId, balance]));
}

function uniqueByKey(transfers: readonly Transfer[]): Transfer[] {
  const byKey = new Map<string, Transfer>();
  for (const transfer of transfers)
    if (!byKey.has(transfer.idempotencyKey)) byKey.set(transfer.idempotencyKey, transfer);
  return [...byKey.values()];
}

function customersIn(transfers: readonly Transfer[]): bigint[] {
  const ids = transfers.flatMap((transfer) => [transfer.debitAccountId, transfer.creditAccountId]);
  return [...new Set(ids)].filter((id) => id >= FIRST_CUSTOMER_ACCOUNT);
}

/** No events for escrow accounts, which have no subscribers; settlement publishes the changes of charges. */
function publishBalanceChange(ctx: Ctx, { creditAccountId, debitAccountId, reason }: Transfer): void {
  const customers = reason === 'SETTLE' ? [] : [creditAccountId, debitAccountId];
  for (const accountId of customers) if (accountId >= FIRST_CUSTOMER_ACCOUNT) ctx.changed({ accountId }, 'balance');
}

/** Maps the violation of the database's CHECK constraint to an error. */
async function reportSmallBalance<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'customer_not_negative')
      throw new AppError('SMALL_BALANCE');
    throw error;
  }
}
