import { CODE_CHARACTERS } from '@cellhop/contract/staff/promo-codes.forms';
import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { formErrorMap } from '../../data/form-errors.ts';
import { creditWords, emptyPromoCode, type PromoCodeForm, promoCodeForm } from './promo-code-form.ts';

const filled: PromoCodeForm = { ...emptyPromoCode, code: 'SPRING', referralEmail: 'owner@example.com' };

function firstErrors(values: PromoCodeForm): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of promoCodeForm.safeParse(values, { error: formErrorMap }).error?.issues ?? [])
    errors[path.join('.')] ??= message;
  return errors;
}

describe('promoCodeForm', () => {
  it('leaves empty fields out', () => {
    expect(promoCodeForm.parse(filled)).toEqual({ code: 'SPRING', referralEmail: 'owner@example.com', trialCredit: 0 });
  });

  it('reads amounts and numbers, and expires after the last day', () => {
    const terms = { trialCreditsMax: ' 100 ', budget: '1,000', reason: ' spring campaign ' };
    const values = { ...filled, ...terms, trialCredit: '1.50', lastDay: '2099-12-31' };
    expect(promoCodeForm.parse(values)).toMatchObject({
      trialCredit: 1.5,
      trialCreditsMax: 100,
      budget: 1000,
      reason: 'spring campaign',
      expiredAt: new Date(2100, 0, 1).toISOString(),
    });
  });

  it('has the rules of the API', () => {
    expect(firstErrors(emptyPromoCode)).toEqual({ code: 'required', referralEmail: 'required' });
    expect(firstErrors({ ...filled, code: 'ABCD' })).toEqual({ code: 'minimumLength:5' });
    expect(firstErrors({ ...filled, code: 'SPRІNG' })).toEqual({ code: CODE_CHARACTERS });
    expect(firstErrors({ ...filled, trialCredit: '1001' })).toMatchObject({ trialCredit: 'maximum:1000' });
    const missing = { trialCreditsMax: 'required', budget: 'required', reason: 'required' };
    expect(firstErrors({ ...filled, trialCredit: '1' })).toEqual(missing);
    expect(firstErrors({ ...filled, budget: 'much' })).toEqual({ budget: 'amount' });
    expect(Object.keys(firstErrors({ ...filled, trialCreditsMax: '1.5' }))).toEqual(['trialCreditsMax']);
    expect(Object.keys(firstErrors({ ...filled, trialCreditsMax: 'many' }))).toEqual(['trialCreditsMax']);
    expect(Object.keys(firstErrors({ ...filled, lastDay: '2020-01-01' }))).toEqual(['lastDay']);
  });
});

function words(values: Partial<PromoCodeForm>): string | undefined {
  return creditWords({ ...emptyPromoCode, ...values }, i18next.getFixedT('en', 'staffContent'));
}

describe('creditWords', () => {
  it('names the credit, and the total that the limits allow', () => {
    const each = 'You will give $5.00 to each customer who signs up with this code';
    expect(words({ trialCredit: '5', trialCreditsMax: '1,000', budget: '9,000' })).toBe(
      `${each}, at most $5,000.00 in total.`,
    );
    expect(words({ trialCredit: '5', trialCreditsMax: '1,000', budget: '250' })).toBe(
      `${each}, at most $250.00 in total.`,
    );
  });

  it('is silent without a credit, and while an amount is missing or not valid', () => {
    expect(words({ trialCredit: '5', trialCreditsMax: '10' })).toBeUndefined();
    expect(words({})).toBeUndefined();
    expect(words({ trialCredit: '0' })).toBeUndefined();
    expect(words({ trialCredit: '5', budget: 'much' })).toBeUndefined();
  });
});
