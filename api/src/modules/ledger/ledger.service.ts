/**
 * The double-entry ledger. Every write of transfers, of balances, of escrow and of holds is a function in api/sql/:
 * post_transfers, refund_megabytes and release_hold are called here; buy_proxy and settle_reports, which are one statement each with
 * what they charge for, by connections/ and billing/.
 *
 * Lock order of every transaction that moves money: customers' accounts by id, then the proxy, then the connection,
 * and the shared system accounts last. A customer's account row is the mutex for all his connections.
 */
import { AppError } from '@cellhop/contract/errors';
import assert from 'node:assert/strict';
import pg from 'pg';
import type { Ctx } from '../../ctx.ts';
import { NOTHING_VERIFIED } from '../../invariant.ts';
import { ledgerInvariants } from './audit.store.ts';
import * as store from './ledger.store.ts';

/** Accounts that exist once; their ids are below those of all others. */
export const systemAccounts = { external: 1n, revenue: 2n, bonus: 3n, loss: 4n } as const;
export const FIRST_CUSTOMER_ACCOUNT = 1000n;

export interface Transfer {
  /** One per business event: the same event posted again changes nothing. */
  idempotencyKey: string;
  debitAccountId: bigint;
  creditAccountId: bigint;
  amountMicros: bigint;
  reason: 'TOP_UP' | 'TRIAL' | 'REFERRAL_BONUS' | 'SETTLE';
}

/** What goes back when a connection ends: the next entry of its receipt (docs/receipts.md). */
export interface Refund {
  connectionId: string;
  payerAccountId: bigint;
  /** Megabytes `from` (included) to `to` (excluded), counted from 0: the last of those that were charged. */
  megabytes: { from: bigint; to: bigint };
}

export interface Balance {
  accountId: bigint;
  balanceMicros: bigint;
  /** Promised to gateways and not spent yet; part of the balance. */
  heldMicros: bigint;
}

/** Of a customer. The escrow account of a connection is opened with it, in its row. */
export function openAccount(ctx: Ctx): Promise<bigint> {
  return store.insertAccount(ctx);
}

/** Without a lock: for showing, never for deciding. */
export async function readBalance(ctx: Ctx, accountId: bigint): Promise<Balance> {
  const [balance] = await store.findBalance(ctx, accountId);
  assert(balance, `account ${accountId} does not exist`);
  return balance;
}

/** All that an account has ever been credited for one reason. */
export function sumCredits(ctx: Ctx, accountId: bigint, reason: Transfer['reason']): Promise<bigint> {
  return store.sumCredits(ctx, accountId, reason);
}

/** Locks customers' accounts until the transaction ends; what is decided from the answer stays true until then. */
export async function lockBalances(ctx: Ctx, accountIds: readonly bigint[]): Promise<Map<bigint, Balance>> {
  const balances = await store.lockAccounts(ctx, accountIds);
  return new Map(balances.map((balance) => [balance.accountId, balance]));
}

export async function lockBalance(ctx: Ctx, accountId: bigint): Promise<Balance> {
  const balance = (await lockBalances(ctx, [accountId])).get(accountId);
  assert(balance, `account ${accountId} does not exist`);
  return balance;
}

/**
 * Posts transfers and moves the balances with them, in the caller's transaction. Call it once in a transaction, as
 * its last change: it locks the shared accounts at its end.
 * @returns the idempotency keys that are new; the others had been posted before and changed nothing now
 * @throws AppError SMALL_BALANCE if a customer would go below zero; the transaction is then over
 */
export async function post(ctx: Ctx, transfers: readonly Transfer[]): Promise<ReadonlySet<string>> {
  const customers = customersOf(transfers);
  const locked = customers.length === 0 ? [] : await store.lockAccounts(ctx, customers);
  assert.equal(locked.length, customers.length, 'a transfer names an account that does not exist');
  return postLocked(ctx, transfers);
}

/**
 * The same for a caller who holds the locks already: of the customers' accounts, and so of their escrow accounts, which
 * nobody touches without the payer's.
 */
export async function postLocked(ctx: Ctx, requested: readonly Transfer[]): Promise<ReadonlySet<string>> {
  const transfers = firstOfEachKey(requested);
  if (transfers.length === 0) return new Set();
  const keys = await explainOverdraft(store.postTransfers(ctx, transfers));
  for (const transfer of transfers) tellUser(ctx, transfer);
  return new Set(keys);
}

/** Gives back what a connection has paid too much. The caller has locked the payer's account. */
export async function refund(ctx: Ctx, refund: Refund): Promise<void> {
  assert(await store.refundMegabytes(ctx, refund), 'a refund names what does not exist');
  ctx.changed({ accountId: refund.payerAccountId }, 'balance');
}

/** Releases money that was held for grants. The caller has locked the payer's account. */
export async function release(ctx: Ctx, payerAccountId: bigint, micros: bigint): Promise<void> {
  if (micros === 0n) return;
  assert(await store.releaseHold(ctx, payerAccountId, micros), `account ${payerAccountId} does not exist`);
  ctx.changed({ accountId: payerAccountId }, 'balance');
}

/** Sentences about money that does not add up; empty when all is well. Reads the whole ledger. */
export async function findBrokenInvariants(ctx: Ctx): Promise<string[]> {
  const found: string[] = [];
  const run = { verified: NOTHING_VERIFIED, isWhole: true, step: async () => {} };
  for (const { findBroken } of ledgerInvariants) found.push(...(await findBroken(ctx, run)));
  return found;
}

/** For whoever checks it piece by piece. */
export { rememberSums } from './sums.ts';
export { findSettledTransfer } from './sums.store.ts';

function firstOfEachKey(transfers: readonly Transfer[]): Transfer[] {
  const byKey = new Map<string, Transfer>();
  for (const transfer of transfers)
    if (!byKey.has(transfer.idempotencyKey)) byKey.set(transfer.idempotencyKey, transfer);
  return [...byKey.values()];
}

function customersOf(transfers: readonly Transfer[]): bigint[] {
  const ids = transfers.flatMap((transfer) => [transfer.debitAccountId, transfer.creditAccountId]);
  return [...new Set(ids)].filter((id) => id >= FIRST_CUSTOMER_ACCOUNT);
}

/** Of these transfers users are credited, or nobody: charges are told where they are made. */
function tellUser(ctx: Ctx, { creditAccountId: accountId }: Transfer): void {
  if (accountId >= FIRST_CUSTOMER_ACCOUNT) ctx.changed({ accountId }, 'balance');
}

/** The database refuses; this only says why. */
async function explainOverdraft<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'customer_not_negative')
      throw new AppError('SMALL_BALANCE');
    throw error;
  }
}
