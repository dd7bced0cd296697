import type { InvoiceStatus } from '@cellhop/contract/invoices';
import type { CurrencyRules } from '../../payments/currencies.ts';
import { roundUpToDisplay } from '../../payments/amounts.ts';
import type { InvoiceDeposit } from './invoice-deposits.store.ts';
import { isPaid } from './invoice-status.ts';

interface SummarizedInvoice {
  dueUnits: bigint;
  status: InvoiceStatus;
  expiredAt: Date;
  /** All deposits of this invoice. */
  deposits: readonly Pick<InvoiceDeposit, 'units' | 'isCredited' | 'creditedMicros' | 'arrivedAt' | 'isByHand'>[];
}

/**
 * Summarizes the deposits of an invoice for its payer. A shortfall or surplus within the tolerance is not reported, because it
 * requires no action.
 */
export function summarizePayment(
  { dueUnits, status, expiredAt, deposits }: SummarizedInvoice,
  rules: Pick<CurrencyRules, 'decimals' | 'displayDecimals'>,
) {
  const receivedUnits = sum(deposits.map(({ units }) => units));
  const isShort = !isPaid(status) && receivedUnits < dueUnits;
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
