import type { StaffInvoiceDetail } from '@cellhop/contract/staff/invoices';
import type { TFunction } from 'i18next';
import { parseAmount, parseDecimal } from '../../format/amount.ts';
import { formatCents } from '../../format/format.ts';
import { withTicker } from '../invoices/ticker.ts';
import { balanceChangeAction, balanceChangeWords } from '../staff-parts/amount-words.ts';

export type SettlementUnit = 'USD' | 'CURRENCY';
type SettledAmount = { amount: number } | { amountInCurrency: string };
type SettledInvoice = Pick<StaffInvoiceDetail, 'currency' | 'rate' | 'user'>;

/** As many as the smallest unit of any currency has. */
const CURRENCY_DECIMALS_MAX = 18;

/** A typed amount as the API takes it; undefined if it is not a positive amount. */
export function toSettledAmount(unit: SettlementUnit, text: string): SettledAmount | undefined {
  if (unit === 'USD') {
    const amount = parseAmount(text, { decimals: 6 });
    return amount === undefined || amount === 0 ? undefined : { amount };
  }
  const amountInCurrency = parseDecimal(text, { decimals: CURRENCY_DECIMALS_MAX });
  return amountInCurrency === undefined || Number(amountInCurrency) === 0 ? undefined : { amountInCurrency };
}

/** What staff confirm, and the label of the button. Amounts of a currency are converted at the invoice's rate. */
export function settlementWords(settled: SettledAmount, invoice: SettledInvoice, t: TFunction<'staffMoney'>) {
  const { email } = invoice.user;
  if ('amount' in settled)
    return { words: balanceChangeWords(settled.amount, email, t), action: balanceChangeAction(settled.amount, t) };
  const amount = withTicker({ ...settled, currency: invoice.currency });
  const dollars = formatCents(settledDollars(settled, invoice));
  return {
    words: t('settle.creditInCurrency', { amount, dollars, email }),
    action: t('balanceChange.creditAction', { amount }),
  };
}

/** About how many dollars a settlement credits. */
export function settledDollars(settled: SettledAmount, { rate }: Pick<SettledInvoice, 'rate'>): number {
  return 'amount' in settled ? settled.amount : Number(settled.amountInCurrency) * Number(rate);
}
