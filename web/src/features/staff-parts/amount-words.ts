import type { TFunction } from 'i18next';
import { formatMoney } from '../../format/format.ts';

type Words = TFunction<'staffMoney'>;

/** What staff confirm before a balance changes: "You will deduct $1,234.00 from a@example.com." */
export function balanceChangeWords(amount: number, email: string, t: Words): string {
  return t(amount < 0 ? 'balanceChange.deduct' : 'balanceChange.credit', {
    amount: formatMoney(Math.abs(amount)),
    email,
  });
}

/** The label of the button that applies it: "Deduct $1,234.00". */
export function balanceChangeAction(amount: number, t: Words): string {
  return t(amount < 0 ? 'balanceChange.deductAction' : 'balanceChange.creditAction', {
    amount: formatMoney(Math.abs(amount)),
  });
}
