/** Creates and lists invoices, and lists the currencies in which they can be created now. */
import { AppError } from '@cellhop/contract/errors';
import type { CreateInvoiceBody, Invoice, CurrencyState, TopUpReceipt } from '@cellhop/contract/invoices';
import { type Currency, currencies } from '@cellhop/contract/invoices.values';
import { toDollars, toMicros } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { toTotalPages, type PageQuery } from '../../http/paging.ts';
import { formatRate, formatUnits, toDueUnits } from '../../payments/amounts.ts';
import { currencyRules } from '../../payments/currencies.ts';
import * as users from '../users/users.service.ts';
import { assignAddress, isGenuine } from './addresses.ts';
import { isAvailable, rateSource, isEnabled, takesInvoices } from './chains.ts';
import { findByReceipt, listOfInvoices } from './deposit-lists.store.ts';
import { rulesOf } from './invoice-amounts.ts';
import { depositsFor, presentInvoice, readFacts } from './invoice-presenter.ts';
import * as store from './invoices.store.ts';
import { updateStatuses } from './invoice-status.ts';
import * as states from './chain-states.store.ts';
import { requireNotRestored, witnessShown } from './witness.service.ts';

/**
 * Creates an invoice at the current rate. Closes the user's open invoice in the same currency; later payments to it are still
 * credited.
 * @throws AppError CURRENCY_UNAVAILABLE, RATE_UNAVAILABLE, RATE_LIMITED; UNAVAILABLE after a restore (`witness.service.ts`)
 */
export async function createInvoice(
  ctx: Ctx,
  { userId }: Pick<Actor, 'userId'>,
  { currency, amount }: CreateInvoiceBody,
): Promise<Invoice> {
  if (!(await isAvailable(ctx, currency))) throw new AppError('CURRENCY_UNAVAILABLE');
  const amountMicros = toMicros(amount);
  enforceMinimum(ctx, currency, amountMicros);
  const rateE12 = await rateSource(ctx).rateE12(currency, amountMicros);
  if (rateE12 === undefined) throw new AppError('RATE_UNAVAILABLE');
  const rules = currencyRules[currency];
  const dueUnits = toDueUnits(amountMicros, rateE12, rules);
  const id = await ctx.tx(async (ctx) => {
    // Serializes concurrent requests of one user.
    await users.lockUser(ctx, userId);
    await enforceHourlyLimit(ctx, userId);
    await requireNotRestored(ctx);
    await updateStatuses(ctx, await store.closeOpenInvoice(ctx, userId, currency));
    const addressId = await assignAddress(ctx, userId, rules);
    const { lifetimeMs } = rules;
    ctx.changed({ userId }, 'invoices');
    return store.insertInvoice(ctx, { userId, currency, amountMicros, dueUnits, rateE12, addressId, lifetimeMs });
  });
  const row = (await store.findInvoice(ctx, id))!;
  await witnessShown(ctx, [row]);
  return presentInvoice(withGenuineAddress(ctx, row), [], await readFacts(ctx, []));
}

/**
 * Ends the user's own unpaid invoice, as its expiry does: later payments to it are still credited.
 * @throws AppError NOT_FOUND; INVOICE_PAID if a payment has been seen
 */
export async function cancelInvoice(ctx: Ctx, actor: Pick<Actor, 'userId'>, id: string): Promise<Invoice> {
  await ctx.tx(async (ctx) => {
    // In the order of locks: a payment that arrives at the same time waits, and is then late.
    await users.lockUser(ctx, actor.userId);
    if ((await store.findInvoice(ctx, id))?.userId !== actor.userId)
      throw new AppError('NOT_FOUND', { thing: 'Invoice' });
    const [invoice] = await store.lockInvoices(ctx, [id]);
    if (invoice!.status === 'EXPIRED') return;
    if (invoice!.status !== 'PENDING') throw new AppError('INVOICE_PAID');
    await store.closeInvoice(ctx, id);
    await updateStatuses(ctx, [id]);
  });
  const { data } = await listOwn(ctx, actor, { id, page: 1, size: 1 });
  return data[0]!;
}

export async function listOwn(
  ctx: Ctx,
  { userId }: Pick<Actor, 'userId'>,
  { id, hideExpired, ...page }: PageQuery & { id?: string | undefined; hideExpired?: 'true' | undefined },
) {
  const filter = { id, hidesExpired: hideExpired === 'true' };
  const stored = await store.listOfUser(ctx, userId, filter, page);
  await witnessShown(ctx, stored);
  const rows = stored.map((row) => withGenuineAddress(ctx, row));
  const all = await listOfInvoices(
    ctx,
    rows.map(({ id }) => id),
  );
  const facts = await readFacts(ctx, all);
  const data = rows.map((row) => presentInvoice(row, depositsFor(row, all), facts));
  return { data, totalPages: toTotalPages(await store.countOfUser(ctx, userId, filter), page) };
}

/** An address that this program did not derive is never shown: it is left out, and an error is logged. */
function withGenuineAddress(ctx: Ctx, row: store.InvoiceRow): store.InvoiceRow {
  if (isGenuine(ctx, row)) return row;
  ctx.log.error({ invoiceId: row.id }, 'the address of an invoice is not genuine: its row was changed');
  return { ...row, address: '' };
}

function enforceMinimum(ctx: Ctx, currency: Currency, amountMicros: bigint): void {
  const minimumMicros = ctx.config.payments.minimumMicros[currency] ?? 0n;
  if (amountMicros >= minimumMicros) return;
  throw AppError.validation([
    { path: 'body.amount', message: `must be at least ${toDollars(minimumMicros)} in ${currency}` },
  ]);
}

async function enforceHourlyLimit(ctx: Ctx, userId: string): Promise<void> {
  const { count, untilFewerSeconds } = await store.countRecent(ctx, userId);
  if (count >= ctx.config.invoicesPerHour) throw AppError.rateLimited(untilFewerSeconds ?? 0);
}

/** The currencies that are set up; whether one can be paid now also depends on its chain and rate. */
export function listEnabledCurrencies(ctx: Ctx): Currency[] {
  return currencies.filter((currency) => isEnabled(ctx, currency));
}

/** Lists the currencies that are set up. A large invoice may still be refused, because its rate needs more sources. */
export async function listCurrencies(ctx: Ctx): Promise<CurrencyState[]> {
  const all = await states.listStates(ctx);
  const stateOf = new Map(all.map((state) => [state.chain, state]));
  return Promise.all(
    listEnabledCurrencies(ctx).map(async (currency) => {
      const state = stateOf.get(currencyRules[currency].chain)!;
      const rateE12 = await rateSource(ctx).rateE12(currency);
      const dollarsPerCoin = rateE12 === undefined ? null : formatRate(rateE12);
      if (!takesInvoices(ctx, currency, state)) return { currency, problem: 'NETWORK' as const, dollarsPerCoin };
      return { currency, problem: rateE12 === undefined ? ('RATE' as const) : null, dollarsPerCoin };
    }),
  );
}

/** For the customer's accountant. @throws AppError NOT_FOUND also for a receipt of somebody else */
export async function showReceipt(ctx: Ctx, { userId }: Actor, number: number): Promise<TopUpReceipt> {
  const deposit = await findByReceipt(ctx, userId, number);
  if (!deposit) throw new AppError('NOT_FOUND', { thing: 'Receipt' });
  const rules = rulesOf(deposit);
  return {
    number,
    creditedAt: deposit.creditedAt!.toISOString(),
    amount: toDollars(deposit.creditedMicros!),
    currency: rules.currency,
    amountInCurrency: formatUnits(deposit.units, rules),
    rate: formatRate(deposit.creditedRateE12!),
    transactionId: deposit.isByHand ? null : deposit.transactionId,
    invoiceId: deposit.invoice?.id ?? null,
    reversedAt: deposit.reversedAt?.toISOString() ?? null,
  };
}
