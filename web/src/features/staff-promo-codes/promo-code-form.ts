import { createPromoCodeBody, type CreatePromoCodeBody } from '@cellhop/contract/staff/promo-codes.forms';
import { z } from 'zod';
import { startOfDay, toDay } from '../../lib/day.ts';
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
      .transform((text) => (text.trim() === '' ? undefined : Number(text)))
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
