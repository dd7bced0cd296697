/**
 * The double-entry ledger: the only code that writes accounts and transfers.
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

export type AccountKind = 'USER' | 'ESCROW';

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

/**
 * What changes the cost of a connection: a transfer between its payer and its escrow account, and the next entry of its
 * receipt (docs/receipts.md). The first charge of each connection is made with its purchase.
 */
export interface Charge {
  /** MEGABYTE pays, REFUND gives back. */
  kind: 'MEGABYTE' | 'REFUND';
  connectionId: string;
  payerAccountId: bigint;
  escrowAccountId: bigint;
  /** Megabytes `from` (included) to `to` (excluded), counted from 0. */
  megabytes: { from: bigint; to: bigint };
  megabytePriceMicros: bigint;
  /** What the connection has counted in all when this is charged. */
  usedBytes: bigint;
  uploadedBytes: bigint;
}

export interface Balance {
  accountId: bigint;
  balanceMicros: bigint;
  /** Promised to gateways and not spent yet; part of the balance. */
  heldMicros: bigint;
}

export function openAccount(ctx: Ctx, kind: AccountKind): Promise<bigint> {
  return store.insertAccount(ctx, kind);
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
  const keys = await explainOverdraft(store.insertTransfers(ctx, transfers, FIRST_CUSTOMER_ACCOUNT));
  const posted = new Set(keys);
  const deltas = systemDeltas(transfers.filter((transfer) => posted.has(transfer.idempotencyKey)));
  for (const [id, micros] of deltas) await store.addToBalance(ctx, id, micros);
  for (const transfer of transfers) tellUser(ctx, transfer);
  return posted;
}

/**
 * Charges connections, at most once each, and holds (positive) or releases (negative) money of their payers, whose
 * accounts the caller has locked. A megabyte that was charged before is an error: the caller knows what he has charged.
 * @throws AppError SMALL_BALANCE if a payer had less than zero then, holds included; the transaction is then over
 */
export async function charge(ctx: Ctx, charges: readonly Charge[], holds: ReadonlyMap<bigint, bigint>): Promise<void> {
  const changes = new Map([...holds].filter(([, micros]) => micros !== 0n));
  if (charges.length === 0 && changes.size === 0) return;
  const payers = new Set(changes.keys());
  for (const { payerAccountId } of charges) payers.add(payerAccountId);
  const found = await explainOverdraft(store.insertCharges(ctx, charges, changes));
  assert.deepEqual(
    found,
    { escrows: charges.length, payers: payers.size },
    'a charge names accounts that do not exist',
  );
  for (const accountId of payers) ctx.changed({ accountId }, 'balance');
}

/** Sentences about money that does not add up; empty when all is well. Reads the whole ledger. */
export async function findBrokenInvariants(ctx: Ctx): Promise<string[]> {
  const found: string[] = [];
  for (const { findBroken } of ledgerInvariants) found.push(...(await findBroken(ctx, NOTHING_VERIFIED)));
  return found;
}

/** For whoever checks it piece by piece. */
export { findSettledTransfer, rememberSums } from './audit.store.ts';

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

/** Changes of the system accounts, in the order of their ids. */
function systemDeltas(transfers: readonly Transfer[]): [accountId: bigint, micros: bigint][] {
  return Object.values(systemAccounts).flatMap((id) => {
    const credits = transfers.filter((transfer) => transfer.creditAccountId === id);
    const debits = transfers.filter((transfer) => transfer.debitAccountId === id);
    const micros = sumAmounts(credits) - sumAmounts(debits);
    return micros === 0n ? [] : [[id, micros] as [bigint, bigint]];
  });
}

function sumAmounts(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((sum, transfer) => sum + transfer.amountMicros, 0n);
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
