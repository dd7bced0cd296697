/** Stores what a poll of a chain has found, together with its cursor. */
import type { Ctx } from '../../ctx.ts';
import { descriptors } from '../../payments/chains/descriptors.ts';
import type { ObservedPayment, Poll } from '../../payments/chains/watcher.ts';
import { addressSpaces, findCurrency, type Chain } from '../../payments/currencies.ts';
import { findOwn } from './addresses.store.ts';
import { finalityFor, rateSource } from './chains.ts';
import * as states from './chain-states.store.ts';
import * as changes from './deposit-changes.store.ts';
import { lockAffected, lockByTransaction, type Deposit } from './deposits.store.ts';
import { updateStatuses } from './invoice-status.ts';
import { moveDeposits } from './moved-deposits.ts';
import { hasChanged, observe, type ChainFacts } from './observe.ts';

/** Polls within this time date a payment better than the chain's clock if that may be hours off. */
const POLLS_APART_MS_MAX = 2 * 60_000;

type PreviousState = Pick<states.ChainState, 'cursor' | 'polledAt' | 'headHeight' | 'scannedHeight'>;
type PollFacts = Pick<Poll, 'head' | 'scannedHeight' | 'orphanedBlockHashes' | 'pooledTransactionIds'>;

/**
 * @param previous the state that the poll started from
 * @param pauseMs until the next poll
 * @returns false if another worker has recorded a later poll
 */
export async function recordPoll(
  ctx: Ctx,
  chain: Chain,
  previous: PreviousState,
  poll: Poll,
  pauseMs: number,
): Promise<boolean> {
  const found = await findOwnPayments(ctx, chain, previous, poll);
  return ctx.tx(async (ctx) => {
    if ((await states.lockCursor(ctx, chain)) !== previous.cursor) return false;
    await saveDeposits(ctx, chain, await moveDeposits(ctx, chain, found), poll);
    const orphaned = poll.orphanedBlockHashes.length;
    if (orphaned >= (descriptors[chain].pausingReorganisationBlocks ?? Infinity))
      await states.pause(ctx, chain, `${orphaned} blocks have left the chain`);
    await states.savePoll(ctx, chain, poll, pauseMs);
    return true;
  });
}

/** Payments to our addresses, in assets that are accepted, each with its arrival and the rate at that time. */
async function findOwnPayments(
  ctx: Ctx,
  chain: Chain,
  previous: PreviousState,
  { payments, clockErrorMs }: Poll,
): Promise<changes.FoundPayment[]> {
  const accepted = payments.filter(({ asset }) => findCurrency(chain, asset));
  if (accepted.length === 0) return [];
  const previousAt = previousPollAt(previous);
  return Promise.all(
    (await findOwn(ctx, addressSpaces[chain], accepted)).map(async ({ index, seenAt }) => {
      const payment = accepted[index]!;
      const currency = findCurrency(chain, payment.asset)!;
      const arrival = toArrival(payment, { seenAt, previousAt, clockErrorMs });
      const arrivalRateE12 = await rateSource(ctx).rateE12At(currency, arrival.arrivedAt);
      return { ...payment, ...arrival, currency, arrivalRateE12 };
    }),
  );
}

/** The times of a poll, by the clock of the database, like those of invoices. */
interface PollTimes {
  seenAt: Date;
  /** The previous poll; undefined if it did not reach the head, or if there was none. */
  previousAt: Date | undefined;
  clockErrorMs: Poll['clockErrorMs'];
}

interface Arrival {
  arrivedAt: Date;
  /** An invoice that is newer than the arrival by no more than this may have been paid. */
  slackMs: number;
}

export function previousPollAt({
  polledAt,
  headHeight,
  scannedHeight,
}: Pick<states.ChainState, 'polledAt' | 'headHeight' | 'scannedHeight'>): Date | undefined {
  return polledAt !== null && scannedHeight === headHeight ? polledAt : undefined;
}

export function toArrival(
  { arrivedAt }: Pick<ObservedPayment, 'arrivedAt'>,
  { seenAt, previousAt, clockErrorMs }: PollTimes,
): Arrival {
  const byChain = Math.min(arrivedAt.getTime(), seenAt.getTime());
  if (clockErrorMs <= POLLS_APART_MS_MAX) return { arrivedAt: new Date(byChain), slackMs: clockErrorMs };
  if (!previousAt) return { arrivedAt: new Date(byChain), slackMs: 0 };
  const isPollRecent = seenAt.getTime() - previousAt.getTime() <= POLLS_APART_MS_MAX;
  return { arrivedAt: isPollRecent ? seenAt : new Date(Math.max(byChain, previousAt.getTime())), slackMs: 0 };
}

/** Inserts the payments that are not known, and updates these deposits, others that the poll changes, and their invoices. */
async function saveDeposits(
  ctx: Ctx,
  chain: Chain,
  payments: readonly changes.FoundPayment[],
  poll: PollFacts,
  isConcerned: (deposit: Deposit) => boolean = () => true,
): Promise<void> {
  const invoiceIds = new Set<string>();
  for (const payment of payments) {
    const invoiceId = await changes.insertDeposit(ctx, chain, payment);
    if (invoiceId) invoiceIds.add(invoiceId);
  }
  const facts: ChainFacts = {
    head: poll.head,
    scannedHeight: poll.scannedHeight,
    orphanedBlockHashes: new Set(poll.orphanedBlockHashes),
    pooledTransactionIds: poll.pooledTransactionIds && new Set(poll.pooledTransactionIds),
    rule: finalityFor(ctx, chain),
    now: new Date(),
  };
  const byKey = indexPayments(payments);
  for (const deposit of await lockAffected(ctx, chain, payments, poll.orphanedBlockHashes)) {
    if (!isConcerned(deposit)) continue;
    const next = observe(deposit, byKey.get(toKey(deposit)), facts);
    if (!hasChanged(deposit, next)) continue;
    await changes.saveObservation(ctx, deposit.id, next);
    if (deposit.invoice) invoiceIds.add(deposit.invoice.id);
    if (next.isGone && !deposit.isGone)
      await states.pause(ctx, chain, `the credited payment ${deposit.transactionId} has left the chain`);
  }
  await updateStatuses(ctx, [...invoiceIds].toSorted());
}

/** Prefers the report with a block if a payment was reported several times. */
function indexPayments(payments: readonly ObservedPayment[]): Map<string, ObservedPayment> {
  const byKey = new Map<string, ObservedPayment>();
  for (const payment of payments) {
    const key = toKey(payment);
    if (payment.block || !byKey.has(key)) byKey.set(key, payment);
  }
  return byKey;
}

/**
 * Stores payments in final blocks that were missed. The next poll decides about their finality.
 * @returns how many were not known
 */
export async function recordMissed(ctx: Ctx, chain: Chain, poll: Poll): Promise<number> {
  const payments = await findOwnPayments(ctx, chain, UNREAD, poll);
  if (payments.length === 0) return 0;
  return ctx.tx(async (ctx) => {
    await states.lockCursor(ctx, chain);
    const placed = await moveDeposits(ctx, chain, payments);
    const known = await lockByTransaction(ctx, chain, placed);
    const accepted = withoutOtherKeys(placed, known);
    const keys = new Set(accepted.map(toKey));
    const facts = { ...poll, orphanedBlockHashes: [], pooledTransactionIds: undefined };
    await saveDeposits(ctx, chain, accepted, facts, (deposit) => keys.has(toKey(deposit)));
    const knownKeys = new Set(known.map(toKey));
    return accepted.filter((payment) => !knownKeys.has(toKey(payment))).length;
  });
}

const UNREAD = { cursor: null, polledAt: null, headHeight: null, scannedHeight: null };

/**
 * Without payments of an address in a transaction some of whose deposits are not found again: they may be the same payments by other keys, and
 * nothing is credited twice. The comparison of balances finds them if they are not.
 */
function withoutOtherKeys<Payment extends ObservedPayment>(
  payments: readonly Payment[],
  known: readonly Deposit[],
): Payment[] {
  const found = new Set(payments.map(toKey));
  const refused = new Set(known.filter((one) => !found.has(toKey(one))).map(toGroup));
  return payments.filter((payment) => !refused.has(toGroup(payment)));
}

/** Makes the next poll begin after another block, because the blocks of the cursor have left the chain. */
export function rewind(ctx: Ctx, chain: Chain, fromHeight: number, cursor: string): Promise<void> {
  return ctx.tx(async (ctx) => {
    await states.lockCursor(ctx, chain);
    const { headHeight, headAt } = await states.readState(ctx, chain);
    const orphanedBlockHashes = await changes.unsettleFrom(ctx, chain, fromHeight, ctx.config.payments.watchMs);
    const head = {
      height: Math.max(Number(headHeight ?? 0n), fromHeight),
      hash: '',
      time: headAt ?? new Date(),
      safeHeight: undefined,
      finalizedHeight: undefined,
    };
    const scannedHeight = fromHeight - 1;
    await saveDeposits(ctx, chain, [], { head, scannedHeight, orphanedBlockHashes, pooledTransactionIds: undefined });
    await states.replaceCursor(ctx, chain, cursor, scannedHeight);
  });
}

type Key = Pick<ObservedPayment, 'asset' | 'transactionId' | 'output'>;

const toKey = ({ asset, transactionId, output }: Key) => JSON.stringify([asset, transactionId, output]);
const toGroup = ({ asset, transactionId, address }: Pick<ObservedPayment, 'asset' | 'transactionId' | 'address'>) =>
  JSON.stringify([asset, transactionId, address]);
