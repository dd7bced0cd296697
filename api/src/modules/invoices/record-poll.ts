/** Stores what a poll of a chain has found, together with its cursor. */
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import { descriptors } from '../../payments/chains/descriptors.ts';
import type { ObservedPayment, Poll } from '../../payments/chains/watcher.ts';
import { addressSpaces, currencyRules, findCurrency, type Chain } from '../../payments/currencies.ts';
import { toArrival, previousPollAt, type Arrival } from './arrival-time.ts';
import { findOwn } from './addresses.store.ts';
import { finalityFor, rateSource } from './chains.ts';
import * as states from './chain-states.store.ts';
import { hasChanged, observe, type ChainFacts } from './observe.ts';
import { moveDeposits } from './moved-deposits.ts';
import { highestValueMicros } from './invoice-amounts.ts';
import * as store from './observed-deposits.store.ts';
import { updateStatuses } from './invoice-status.ts';

type PreviousState = Pick<states.ChainState, 'cursor' | 'polledAt' | 'headHeight' | 'scannedHeight'>;

interface KnownPayment {
  currency: Currency;
  payment: ObservedPayment;
  arrival: Arrival;
  rateE12: bigint | undefined;
}

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
    const payments = await withoutContradicting(ctx, chain, found);
    const invoiceIds = await insertAll(ctx, payments);
    const observed = payments.map(({ payment }) => payment);
    for (const invoiceId of await updateDeposits(ctx, chain, poll, observed)) invoiceIds.add(invoiceId);
    await updateStatuses(ctx, [...invoiceIds].toSorted());
    const orphaned = poll.orphanedBlockHashes.length;
    if (orphaned >= (descriptors[chain].pausingReorganisationBlocks ?? Infinity))
      await states.pause(ctx, chain, `${orphaned} blocks have left the chain`);
    await states.savePoll(ctx, chain, poll, pauseMs);
    return true;
  });
}

async function withoutContradicting(ctx: Ctx, chain: Chain, found: readonly KnownPayment[]): Promise<KnownPayment[]> {
  const contradicting = await moveDeposits(
    ctx,
    chain,
    found.map(({ payment }) => payment),
  );
  return found.filter(({ payment }) => !contradicting.has(payment));
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
    const settled = await withoutContradicting(ctx, chain, payments);
    const transactionIds = settled.map(({ payment }) => payment.transactionId);
    const known = await store.listOfTransactions(ctx, chain, transactionIds);
    const accepted = withoutOtherKeys(settled, known);
    const invoiceIds = await insertAll(ctx, accepted);
    const observed = accepted.map(({ payment }) => payment);
    const keys = new Set(observed.map(toKey));
    const facts = { ...poll, orphanedBlockHashes: [], pooledTransactionIds: undefined };
    for (const id of await updateDeposits(ctx, chain, facts, observed, (deposit) => keys.has(toKey(deposit))))
      invoiceIds.add(id);
    await updateStatuses(ctx, [...invoiceIds].toSorted());
    const knownKeys = new Set(known.map(toKey));
    return observed.filter((payment) => !knownKeys.has(toKey(payment))).length;
  });
}

const UNREAD = { cursor: null, polledAt: null, headHeight: null, scannedHeight: null };

/**
 * Without payments of an address in a transaction some of whose deposits are not found again: they may be the same payments by other keys, and
 * nothing is credited twice. The comparison of balances finds them if they are not.
 */
function withoutOtherKeys(payments: readonly KnownPayment[], known: readonly store.KnownKey[]): KnownPayment[] {
  const found = new Set(payments.map(({ payment }) => toKey(payment)));
  const refused = new Set(known.filter((one) => !found.has(toKey(one))).map(toGroup));
  return payments.filter(({ payment }) => !refused.has(toGroup(payment)));
}

const toGroup = ({ asset, transactionId, address }: Omit<store.KnownKey, 'output'>) =>
  JSON.stringify([asset, transactionId, address]);

/** Makes the next poll begin after another block, because the blocks of the cursor have left the chain. */
export function rewind(ctx: Ctx, chain: Chain, fromHeight: number, cursor: string): Promise<void> {
  return ctx.tx(async (ctx) => {
    await states.lockCursor(ctx, chain);
    const { headHeight, headAt } = await states.readState(ctx, chain);
    const orphanedBlockHashes = await store.unsettleFrom(ctx, chain, fromHeight, ctx.config.payments.watchMs);
    const head = {
      height: Math.max(Number(headHeight ?? 0n), fromHeight),
      hash: '',
      time: headAt ?? new Date(),
      safeHeight: undefined,
      finalizedHeight: undefined,
    };
    const scannedHeight = fromHeight - 1;
    const facts = { head, scannedHeight, orphanedBlockHashes, pooledTransactionIds: undefined };
    await updateStatuses(ctx, [...(await updateDeposits(ctx, chain, facts, []))].toSorted());
    await states.replaceCursor(ctx, chain, cursor, scannedHeight);
  });
}

async function insertAll(ctx: Ctx, payments: readonly KnownPayment[]): Promise<Set<string>> {
  const invoiceIds = new Set<string>();
  for (const { currency, payment, arrival, rateE12 } of payments) {
    const found = { ...payment, ...arrival, arrivalRateE12: rateE12 };
    const invoiceId = await store.insertDeposit(ctx, currency, currencyRules[currency], found);
    if (invoiceId) invoiceIds.add(invoiceId);
  }
  return invoiceIds;
}

/** @returns the invoices of the deposits that have changed */
async function updateDeposits(
  ctx: Ctx,
  chain: Chain,
  poll: Pick<Poll, 'head' | 'scannedHeight' | 'orphanedBlockHashes' | 'pooledTransactionIds'>,
  payments: readonly ObservedPayment[],
  isConcerned: (deposit: store.ObservedDeposit) => boolean = () => true,
): Promise<Set<string>> {
  const facts: ChainFacts = {
    chain,
    head: poll.head,
    scannedHeight: poll.scannedHeight,
    orphanedBlockHashes: new Set(poll.orphanedBlockHashes),
    pooledTransactionIds: poll.pooledTransactionIds && new Set(poll.pooledTransactionIds),
    rule: finalityFor(ctx, chain),
    now: new Date(),
  };
  const byKey = indexPayments(payments);
  const invoiceIds = new Set<string>();
  for (const deposit of await store.lockAffected(ctx, chain, payments, poll.orphanedBlockHashes)) {
    if (!isConcerned(deposit)) continue;
    const next = observe(deposit, byKey.get(toKey(deposit)), facts, highestValueMicros(chain, deposit));
    if (!hasChanged(deposit, next)) continue;
    await store.saveObservation(ctx, deposit.id, next);
    if (deposit.invoice) invoiceIds.add(deposit.invoice.id);
    if (next.isGone && !deposit.isGone)
      await states.pause(ctx, chain, `the credited payment ${deposit.transactionId} has left the chain`);
  }
  return invoiceIds;
}

/** Payments to our addresses, in assets that are accepted. */
async function findOwnPayments(
  ctx: Ctx,
  chain: Chain,
  previous: PreviousState,
  { payments, clockErrorMs }: Poll,
): Promise<KnownPayment[]> {
  const accepted = payments.filter(({ asset }) => findCurrency(chain, asset));
  if (accepted.length === 0) return [];
  const previousAt = previousPollAt(previous);
  return Promise.all(
    (await findOwn(ctx, addressSpaces[chain], accepted)).map(async ({ index, seenAt }) => {
      const payment = accepted[index]!;
      const currency = findCurrency(chain, payment.asset)!;
      const arrival = toArrival(payment, { seenAt, previousAt, clockErrorMs });
      return { currency, payment, arrival, rateE12: await rateSource(ctx).rateE12At(currency, arrival.arrivedAt) };
    }),
  );
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

function toKey({ asset, transactionId, output }: Pick<ObservedPayment, 'asset' | 'transactionId' | 'output'>): string {
  return JSON.stringify([asset, transactionId, output]);
}
