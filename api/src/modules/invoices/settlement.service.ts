/** Settles an invoice by hand: staff record a payment that is not on a chain, and it is credited like a deposit of a chain. */
import { AppError } from '@cellhop/contract/errors';
import type { Currency, InvoiceStatus } from '@cellhop/contract/invoices.values';
import { STAFF_AMOUNT_DOLLARS_MAX } from '@cellhop/contract/limits';
import { toMicros } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { formatUnits, parseUnits, toCreditMicros, toUnits } from '../../payments/amounts.ts';
import { currencyRules } from '../../payments/currencies.ts';
import * as bonus from '../referrals/levels.service.ts';
import { postTopUp } from './credit.ts';
import { insertByHand } from './deposit-changes.store.ts';
import { listCounted } from './deposit-lists.store.ts';
import { amountDue, type Amounts } from './invoice-amounts.ts';
import * as store from './invoices.store.ts';
import { updateStatuses } from './invoice-status.ts';

export interface InvoiceState {
  id: string;
  userId: string;
  currency: Currency;
  status: InvoiceStatus;
  creditedMicros: bigint;
}

/** @returns undefined if there is no such invoice */
export async function findPayer(ctx: Ctx, invoiceId: string): Promise<string | undefined> {
  return (await store.findInvoice(ctx, invoiceId))?.userId;
}

/** The invoice that is about to be settled, locked until the end of the transaction. The caller has locked its payer. */
export async function lockForSettlement(ctx: Ctx, invoiceId: string): Promise<InvoiceState> {
  await store.lockInvoices(ctx, [invoiceId]);
  return readState(ctx, invoiceId);
}

/**
 * A payment that arrived after the member of staff saw the invoice is not credited twice.
 * @throws AppError CHANGED_ELSEWHERE if another amount is due
 */
export async function requireDue(ctx: Ctx, invoiceId: string, seenMicros: bigint): Promise<void> {
  const { amountMicros } = await readDue(ctx, (await store.findInvoice(ctx, invoiceId))!);
  if (amountMicros !== seenMicros) throw new AppError('CHANGED_ELSEWHERE');
}

/**
 * A paid invoice is not settled again by mistake.
 * @throws AppError INVOICE_PAID also while payments that are not final yet cover it
 */
export async function requireUnpaid(ctx: Ctx, invoiceId: string): Promise<void> {
  const invoice = (await store.findInvoice(ctx, invoiceId))!;
  const isPaid = invoice.status === 'PAID' || invoice.status === 'OVERPAID';
  if (isPaid || (await readDue(ctx, invoice)).amountMicros === 0n) throw new AppError('INVOICE_PAID');
}

async function readDue(ctx: Ctx, invoice: store.InvoiceRow): Promise<Amounts> {
  return amountDue(invoice, await listCounted(ctx, [invoice.id]));
}

/**
 * What to credit: the typed amount, by default what is due.
 * @throws AppError NOTHING_DUE, VALIDATION
 */
export async function chooseAmounts(
  ctx: Ctx,
  invoiceId: string,
  typed: { amount?: number | undefined; amountInCurrency?: string | undefined },
): Promise<Amounts> {
  const invoice = (await store.findInvoice(ctx, invoiceId))!;
  const rules = currencyRules[invoice.currency];
  if (typed.amount !== undefined) {
    const amountMicros = toMicros(typed.amount);
    return { units: toUnits(amountMicros, invoice.rateE12, rules), amountMicros };
  }
  if (typed.amountInCurrency === undefined) {
    const due = await readDue(ctx, invoice);
    if (due.amountMicros === 0n) throw new AppError('NOTHING_DUE');
    return due;
  }
  const units = parseUnits(typed.amountInCurrency, rules);
  if (units === undefined) throw refuse(`must have at most ${rules.decimals} decimals`);
  const amountMicros = toCreditMicros(units, invoice.rateE12, rules);
  if (amountMicros === 0n) throw refuse('must be worth at least a millionth of a dollar');
  if (amountMicros > toMicros(STAFF_AMOUNT_DOLLARS_MAX))
    throw refuse(`must be worth at most ${STAFF_AMOUNT_DOLLARS_MAX} dollars`);
  return { units, amountMicros };
}

export function describeUnits(currency: Currency, units: bigint): string {
  return formatUnits(units, currencyRules[currency]);
}

/** Whether a typed amount in currency is that many units. */
export function isSameAmount(currency: Currency, text: string, units: bigint | null): boolean {
  return parseUnits(text, currencyRules[currency]) === units;
}

export interface Settlement extends Amounts {
  invoiceId: string;
  /** The request of staff; each is credited once. */
  requestId: string;
}

export interface RecordedDeposit {
  id: string;
  userId: string;
  /** The state after the deposit. */
  state: InvoiceState;
}

/** Records the deposit and updates the status of the locked invoice. `creditDeposit` follows as the transaction's last change. */
export async function recordDeposit(ctx: Ctx, settlement: Settlement): Promise<RecordedDeposit> {
  const { invoiceId, requestId, units, amountMicros } = settlement;
  const invoice = (await store.findInvoice(ctx, invoiceId))!;
  const { chain, asset } = currencyRules[invoice.currency];
  const { addressId, rateE12, userId } = invoice;
  const deposit = { invoiceId, addressId, chain, asset, requestId, units, amountMicros, rateE12 };
  const id = await insertByHand(ctx, deposit);
  for (const paidId of await updateStatuses(ctx, [invoiceId])) await bonus.recordPayment(ctx, paidId, userId);
  return { id, userId, state: await readState(ctx, invoiceId) };
}

/** Credits the payer and the bonus of their referrer. */
export async function creditDeposit(
  ctx: Ctx,
  { id, userId }: RecordedDeposit,
  accountId: bigint,
  amountMicros: bigint,
): Promise<void> {
  await postTopUp(ctx, { id, userId, accountId }, amountMicros);
}

async function readState(ctx: Ctx, invoiceId: string): Promise<InvoiceState> {
  const { id, userId, currency, status } = (await store.findInvoice(ctx, invoiceId))!;
  const all = await listCounted(ctx, [invoiceId]);
  const creditedMicros = all.reduce((sum, deposit) => sum + (deposit.creditedMicros ?? 0n), 0n);
  return { id, userId, currency, status, creditedMicros };
}

function refuse(message: string): AppError {
  return AppError.validation([{ path: 'body.amountInCurrency', message }]);
}
