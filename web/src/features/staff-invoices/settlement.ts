import { STAFF_AMOUNT_DOLLARS_MAX } from '@cellhop/contract/limits';
import type { StaffInvoiceDetail } from '@cellhop/contract/staff/invoices';
import type { TFunction } from 'i18next';
import { formatBalance } from '../../format/money.ts';
import { type Bounds, readNumber } from '../../format/number-kinds.ts';
import { withTicker } from '../invoices/ticker.ts';
import { balanceChangeAction, balanceChangeWords } from '../staff-parts/amount-words.ts';

export type SettlementUnit = 'USD' | 'CURRENCY';
type SettledAmount = { amount: number } | { amountInCurrency: string };
type SettledInvoice = Pick<StaffInvoiceDetail, 'currency' | 'rate' | 'user'>;

const notations = {
  USD: { kind: 'exactMoney', max: STAFF_AMOUNT_DOLLARS_MAX, isNonZero: true },
  // The API converts it, and then has the same maximum.
  CURRENCY: { kind: 'coins', isNonZero: true },
} as const;

/** Of the field with the amount. */
export function settledNotation(unit: SettlementUnit): Bounds & { kind: 'exactMoney' | 'coins' } {
  return notations[unit];
}

/** A typed amount as the API takes it; undefined if it is not a positive amount. */
export function toSettledAmount(unit: SettlementUnit, text: string): SettledAmount | undefined {
  const { kind, ...bounds } = settledNotation(unit);
  const { value, decimal } = readNumber(kind, text, bounds);
  if (value === undefined || decimal === undefined) return undefined;
  return unit === 'USD' ? { amount: value } : { amountInCurrency: decimal };
}

/** What staff confirm, and the label of the button. Amounts of a currency are converted at the invoice's rate. */
export function settlementWords(settled: SettledAmount, invoice: SettledInvoice, t: TFunction<'staffMoney'>) {
  const { email } = invoice.user;
  if ('amount' in settled)
    return { words: balanceChangeWords(settled.amount, email, t), action: balanceChangeAction(settled.amount, t) };
  const amount = withTicker({ ...settled, currency: invoice.currency });
  const dollars = formatBalance(settledDollars(settled, invoice));
  return {
    words: t('settle.creditInCurrency', { amount, dollars, email }),
    action: t('balanceChange.creditAction', { amount }),
  };
}

/** About how many dollars a settlement credits. */
export function settledDollars(settled: SettledAmount, { rate }: Pick<SettledInvoice, 'rate'>): number {
  return 'amount' in settled ? settled.amount : Number(settled.amountInCurrency) * Number(rate);
}
