/** What the worker does for invoices: reads the chains, credits what is final, ends what nobody paid. */
import type { Currency } from '@cellhop/contract/invoices';
import type { Ctx } from '../../ctx.ts';
import type { ObservedPayment, Poll } from '../../payments/chains/watcher.ts';
import { addressSpaces, currencyRules, findCurrency, type Chain } from '../../payments/currencies.ts';
import { rates, watcherOf } from './chains.ts';
import { creditFinalDeposits } from './credit.ts';
import * as deposits from './deposits.store.ts';
import * as store from './invoices.store.ts';
import { refreshStatuses } from './refresh.ts';

const EXPIRIES_PER_RUN = 500;

/** One turn of a chain's loop. Any number of workers may run it at once. */
export async function watchChain(ctx: Ctx, chain: Chain): Promise<void> {
  const watcher = watcherOf(ctx, chain);
  if (!watcher) return;
  const cursor = await deposits.readCursor(ctx, chain);
  // Asked outside of a transaction: no lock waits for a chain.
  await recordPoll(ctx, chain, cursor, await watcher.poll(cursor));
  await creditFinalDeposits(ctx, chain);
}

export function expireInvoices(ctx: Ctx): Promise<unknown> {
  return ctx.tx(async (ctx) => refreshStatuses(ctx, await store.lockExpired(ctx, EXPIRIES_PER_RUN)));
}

async function recordPoll(ctx: Ctx, chain: Chain, previous: string | null, poll: Poll): Promise<void> {
  const news = await findNews(ctx, chain, poll.payments);
  if (news.length === 0 && poll.cursor === previous) return;
  await ctx.tx(async (ctx) => {
    // Another worker was faster and has gone on from here: what we read is old.
    if ((await deposits.lockCursor(ctx, chain)) !== previous) return;
    const invoiceIds = new Set<string>();
    for (const { currency, payment, rateE12 } of news) {
      const invoiceId = await deposits.upsertDeposit(ctx, currency, currencyRules[currency], payment, rateE12);
      if (invoiceId) invoiceIds.add(invoiceId);
    }
    await refreshStatuses(ctx, [...invoiceIds]);
    await deposits.saveCursor(ctx, chain, poll.cursor);
  });
}

interface News {
  currency: Currency;
  payment: ObservedPayment;
  /** The rate now; undefined while there is none. */
  rateE12: bigint | undefined;
}

/** Payments to our users that are unknown or have come further. Assets that are not sold for are none of our business. */
async function findNews(ctx: Ctx, chain: Chain, payments: readonly ObservedPayment[]): Promise<News[]> {
  const ours = payments.flatMap((payment) => {
    const currency = findCurrency(chain, payment.asset);
    return currency ? [{ currency, payment }] : [];
  });
  if (ours.length === 0) return [];
  const positions = await deposits.findNews(
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
