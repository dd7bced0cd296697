/** What was paid of an invoice, what is still due, and what a payment is worth. */
import type { Currency, InvoiceStatus } from '@cellhop/contract/invoices.values';
import assert from 'node:assert/strict';
import { type CurrencyRules, currencyRules, findCurrency } from '../../payments/currencies.ts';
import { roundUpToDisplay, toCreditMicros, PAR_RATE_E12 } from '../../payments/amounts.ts';
import type { Deposit } from './deposits.store.ts';
import { isEnough, isPaid, type PaidRules } from './invoice-status.ts';

interface SummarizedInvoice {
  dueUnits: bigint;
  status: InvoiceStatus;
  expiredAt: Date;
  /** All deposits of this invoice. */
  deposits: readonly Pick<Deposit, 'units' | 'isCredited' | 'creditedMicros' | 'arrivedAt' | 'isByHand'>[];
}

/**
 * Summarizes the deposits of an invoice for its payer. A shortfall or surplus within the tolerance is not reported, because it
 * requires no action.
 */
export function summarizePayment(
  { dueUnits, status, expiredAt, deposits }: SummarizedInvoice,
  rules: PaidRules & Pick<CurrencyRules, 'decimals' | 'displayDecimals'>,
) {
  const receivedUnits = sum(deposits.map(({ units }) => units));
  const isShort = !isPaid(status) && !isEnough(receivedUnits, dueUnits, rules);
  return {
    receivedUnits,
    confirmingUnits: sum(deposits.map(({ units, isCredited }) => (isCredited ? 0n : units))),
    // People type it, so it is rounded up like the amount of the invoice.
    missingUnits: isShort ? roundUpToDisplay(dueUnits - receivedUnits, rules) : 0n,
    excessUnits: status === 'OVERPAID' ? receivedUnits - dueUnits : 0n,
    creditedMicros: sum(deposits.map(({ creditedMicros }) => creditedMicros ?? 0n)),
    // Staff credit at the rate of the invoice, whenever they do it.
    isLate: deposits.some(({ arrivedAt, isByHand }) => !isByHand && arrivedAt >= expiredAt),
  };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** A part of an invoice: in its currency, and in dollars. */
export interface Amounts {
  units: bigint;
  amountMicros: bigint;
}

interface Payable {
  currency: Currency;
  status: InvoiceStatus;
  amountMicros: bigint;
  dueUnits: bigint;
  rateE12: bigint;
}

/** The amount still due, or zero. Payments that are not final yet count, because they will be credited. */
export function amountDue(invoice: Payable, deposits: readonly { units: bigint }[]): Amounts {
  const receivedUnits = deposits.reduce((sum, { units }) => sum + units, 0n);
  if (isPaid(invoice.status) || receivedUnits >= invoice.dueUnits) return { units: 0n, amountMicros: 0n };
  const units = invoice.dueUnits - receivedUnits;
  const worthMicros = toCreditMicros(units, invoice.rateE12, currencyRules[invoice.currency]);
  // The due units are rounded up, so they may be worth a little more than the invoice.
  return { units, amountMicros: worthMicros < invoice.amountMicros ? worthMicros : invoice.amountMicros };
}

type PricedDeposit = Pick<Deposit, 'chain' | 'asset' | 'units' | 'arrivalRateE12' | 'invoice'>;

/** A deposit at the higher one of the two rates that it may be credited at; undefined if none is known. */
export function highestValueMicros({
  chain,
  asset,
  units,
  invoice,
  arrivalRateE12,
}: PricedDeposit): bigint | undefined {
  const currency = findCurrency(chain, asset);
  if (!currency) return undefined;
  const rules = currencyRules[currency];
  const rates = [invoice?.rateE12, arrivalRateE12].filter((rate) => rate !== undefined);
  const rateE12 = rules.isStable ? PAR_RATE_E12 : rates.toSorted((a, b) => Number(b - a))[0];
  return rateE12 === undefined ? undefined : toCreditMicros(units, rateE12, rules);
}

export function rulesOf({ id, chain, asset }: Pick<Deposit, 'id' | 'chain' | 'asset'>) {
  const currency = findCurrency(chain, asset);
  assert(currency, `deposit ${id} is of the unknown asset ${asset}`);
  return { currency, ...currencyRules[currency] };
}
