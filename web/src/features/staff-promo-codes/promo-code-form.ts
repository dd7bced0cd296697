import { createPromoCodeBody, type CreatePromoCodeBody } from '@cellhop/contract/staff/promo-codes.forms';
import type { TFunction } from 'i18next';
import { z } from 'zod';
import { parseAmount } from '../../format/amount.ts';
import { startOfDay, toDay } from '../../format/day.ts';
import { formatMoney } from '../../format/format.ts';
import { amountText } from '../staff-parts/amount-text.ts';

const { shape } = createPromoCodeBody;

/** Amounts and numbers are texts; empty fields are left out. */
export const promoCodeForm = z
  .object({
    code: shape.code,
    referralEmail: shape.referralEmail,
    /** The last day of the code; '' for none. */
    lastDay: z.string().refine((day) => day === '' || day >= toDay(new Date())),
    trialCredit: amountText(shape.trialCredit.unwrap()),
    trialCreditsMax: z
      .string()
      .transform((text) => (text.trim() === '' ? undefined : (parseAmount(text, { decimals: 0 }) ?? Number.NaN)))
      .pipe(shape.trialCreditsMax),
    budget: amountText(shape.budget.unwrap()),
  })
  .transform(({ lastDay, trialCredit = 0, ...body }): CreatePromoCodeBody => ({
    ...body,
    trialCredit,
    // The code works until the end of its last day.
    ...(lastDay !== '' && { expiredAt: startOfDay(lastDay, 1).toISOString() }),
  }));
export type PromoCodeForm = z.input<typeof promoCodeForm>;

export const emptyPromoCode: PromoCodeForm = {
  code: '',
  referralEmail: '',
  lastDay: '',
  trialCredit: '',
  trialCreditsMax: '',
  budget: '',
};

/** What staff confirm: who gets how much. Undefined for a code without a credit, and while an amount is not valid. */
export function creditWords(
  { trialCredit, trialCreditsMax, budget }: Pick<PromoCodeForm, 'trialCredit' | 'trialCreditsMax' | 'budget'>,
  t: TFunction<'staffContent'>,
): string | undefined {
  const credit = parseAmount(trialCredit);
  const creditsMax = trialCreditsMax.trim() === '' ? Infinity : parseAmount(trialCreditsMax, { decimals: 0 });
  const budgetMax = budget.trim() === '' ? Infinity : parseAmount(budget);
  if (credit === undefined || credit === 0 || creditsMax === undefined || budgetMax === undefined) return undefined;
  const total = Math.min(credit * creditsMax, budgetMax);
  const amount = formatMoney(credit);
  if (total === Infinity) return t('promoCodes.create.pays', { amount });
  return t('promoCodes.create.paysAtMost', { amount, total: formatMoney(total) });
}
