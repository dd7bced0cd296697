import type { InvoiceStatus } from '@cellhop/contract/invoices';
import type { CurrencyRules } from '../../payments/currencies.ts';
import { roundUpToDisplay } from '../../payments/amounts.ts';
import type { InvoiceDeposit } from './deposits.store.ts';
import { isPaid } from './invoice-status.ts';

interface PaymentFacts {
  dueUnits: bigint;
  status: InvoiceStatus;
  expiredAt: Date;
  /** All that came for this invoice. */
  deposits: readonly Pick<InvoiceDeposit, 'units' | 'isCredited' | 'creditedMicros' | 'arrivedAt'>[];
}

/**
 * What the payer is told about what has come. A tolerated shortfall is not missing, and a tolerated surplus is no
 * excess: neither needs anything to be done.
 */
export function summarize(
  { dueUnits, status, expiredAt, deposits }: PaymentFacts,
  rules: Pick<CurrencyRules, 'decimals' | 'displayDecimals'>,
) {
  const receivedUnits = sum(deposits.map(({ units }) => units));
  const isShort = !isPaid(status) && receivedUnits < dueUnits;
  return {
    receivedUnits,
    confirmingUnits: sum(deposits.map(({ units, isCredited }) => (isCredited ? 0n : units))),
    // People type it: rounded as the amount of the invoice is, so that paying it always suffices.
    missingUnits: isShort ? roundUpToDisplay(dueUnits - receivedUnits, rules) : 0n,
    excessUnits: status === 'OVERPAID' ? receivedUnits - dueUnits : 0n,
    creditedMicros: sum(deposits.map(({ creditedMicros }) => creditedMicros ?? 0n)),
    isLate: deposits.some(({ arrivedAt }) => arrivedAt >= expiredAt),
  };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
