/** Periodic tasks for invoices: reads the chains, credits final deposits, expires unpaid invoices. */
import type { Currency } from '@cellhop/contract/invoices';
import type { Ctx } from '../../ctx.ts';
import type { ObservedPayment, Poll } from '../../payments/chains/watcher.ts';
import { addressSpaces, chains, currencyRules, findCurrency, type Chain } from '../../payments/currencies.ts';
import { rates, watcherOf } from './chains.ts';
import { creditFinalDeposits } from './credit.ts';
import * as deposits from './deposits.store.ts';
import * as store from './invoices.store.ts';
import { updateStatuses } from './status-updates.ts';

const EXPIRIES_PER_RUN = 500;

/** Polls one chain. Several workers may run it at once. */
export async function watchChain(ctx: Ctx, chain: Chain): Promise<void> {
  const watcher = watcherOf(ctx, chain);
  if (!watcher) return;
  const cursor = await deposits.readCursor(ctx, chain);
  // Polled outside a transaction, so that no lock is held during a network call.
  await recordPoll(ctx, chain, cursor, await watcher.poll(cursor));
  await creditFinalDeposits(ctx, chain);
}

export function expireInvoices(ctx: Ctx): Promise<unknown> {
  return ctx.tx(async (ctx) => updateStatuses(ctx, await store.lockExpired(ctx, EXPIRIES_PER_RUN)));
}

/** Whether each chain is watched, and how many of its deposits are not credited yet. */
export async function showChains(ctx: Ctx) {
  const open = await deposits.countOpen(ctx);
  return chains.map((chain) => ({
    chain,
    isWatched: watcherOf(ctx, chain) !== undefined,
    openDeposits: open.find((each) => each.chain === chain)?.count ?? 0,
  }));
}

async function recordPoll(ctx: Ctx, chain: Chain, previous: string | null, poll: Poll): Promise<void> {
  const updates = await findPaymentUpdates(ctx, chain, poll.payments);
  if (updates.length === 0 && poll.cursor === previous) return;
  await ctx.tx(async (ctx) => {
    // Another worker has already advanced the cursor, so this poll is out of date.
    if ((await deposits.lockCursor(ctx, chain)) !== previous) return;
    const invoiceIds = new Set<string>();
    for (const { currency, payment, rateE12 } of updates) {
      const invoiceId = await deposits.upsertDeposit(ctx, currency, currencyRules[currency], payment, rateE12);
      if (invoiceId) invoiceIds.add(invoiceId);
    }
    await updateStatuses(ctx, [...invoiceIds]);
    await deposits.saveCursor(ctx, chain, poll.cursor);
  });
}

interface PaymentUpdate {
  currency: Currency;
  payment: ObservedPayment;
  /** The current rate; undefined if there is none. */
  rateE12: bigint | undefined;
}

/** Payments to our addresses that are new or have reached a later stage. Ignores assets that are not accepted. */
async function findPaymentUpdates(
  ctx: Ctx,
  chain: Chain,
  payments: readonly ObservedPayment[],
): Promise<PaymentUpdate[]> {
  const ours = payments.flatMap((payment) => {
    const currency = findCurrency(chain, payment.asset);
    return currency ? [{ currency, payment }] : [];
  });
  if (ours.length === 0) return [];
  const positions = await deposits.findPaymentUpdates(
    ctx,
    chain,
    addressSpaces[chain],
    ours.map(({ payment }) => payment),
  );
  return Promise.all(
    positions.map(async (position) => {
      const { currency, payment } = ours[position]!;
      return { currency, payment, rateE12: await rates.rateE12(currency) };
    }),
  );
}
