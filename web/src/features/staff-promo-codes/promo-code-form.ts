import {
  type CreatePromoCodeBody,
  promoCodeFields,
  requireTermsOfCredit,
} from '@cellhop/contract/staff/promo-codes.forms';
import type { TFunction } from 'i18next';
import { z } from 'zod';
import { startOfDay, toDay } from '../../format/day.ts';
import { formatMoney } from '../../format/format.ts';
import { readNumber } from '../../format/number-kinds.ts';
import { numberText } from '../../format/number-text.ts';

const { shape } = promoCodeFields;

/** Amounts and numbers are texts; empty fields are left out. */
export const promoCodeForm = z
  .object({
    code: shape.code,
    referralEmail: shape.referralEmail,
    /** The last day of the code; '' for none. */
    lastDay: z.string().refine((day) => day === '' || day >= toDay(new Date())),
    trialCredit: numberText('money', shape.trialCredit.unwrap().optional()),
    trialCreditsMax: numberText('count', shape.trialCreditsMax),
    budget: numberText('money', shape.budget),
    reason: z
      .string()
      .transform((text) => (text.trim() === '' ? undefined : text.trim()))
      .pipe(shape.reason),
  })
  .superRefine((body, context) =>
    requireTermsOfCredit({ ...body, trialCredit: body.trialCredit ?? 0 }, context, 'required'),
  )
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
  reason: '',
};

/** What staff confirm: who gets how much. Undefined for a code without a credit, and while an amount is missing or not valid. */
export function creditWords(
  { trialCredit, trialCreditsMax, budget }: Amounts,
  t: TFunction<'staffContent'>,
): string | undefined {
  const credit = readNumber('money', trialCredit).value;
  const total = liability({ trialCredit, trialCreditsMax, budget });
  if (credit === undefined || total === undefined) return undefined;
  return t('promoCodes.create.paysAtMost', { amount: formatMoney(credit), total: formatMoney(total) });
}

type Amounts = Pick<PromoCodeForm, 'trialCredit' | 'trialCreditsMax' | 'budget'>;

/** The most that the credits can pay, in US dollars, as the API computes it. */
export function liability({ trialCredit, trialCreditsMax, budget }: Amounts): number | undefined {
  const [credit, budgetMax] = [trialCredit, budget].map((text) => readNumber('money', text).value);
  const creditsMax = readNumber('count', trialCreditsMax).value;
  if (credit === undefined || credit === 0 || creditsMax === undefined || budgetMax === undefined) return undefined;
  return Math.min(credit * creditsMax, budgetMax);
}
