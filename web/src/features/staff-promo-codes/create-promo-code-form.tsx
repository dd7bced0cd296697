import type { CreatePromoCodeBody } from '@cellhop/contract/staff/promo-codes';
import {
  PROMO_CODE_BUDGET_DOLLARS_MAX,
  PROMO_CODE_CREDITS_MAX,
  TRIAL_CREDIT_DOLLARS_MAX,
} from '@cellhop/contract/limits';
import { CODE_CHARACTERS } from '@cellhop/contract/staff/promo-codes.forms';
import { Button, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Controller, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { toDay } from '../../format/day.ts';
import { readNumber } from '../../format/number-kinds.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { DateField } from '../../ui/date-field.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ApprovalHint } from '../staff-parts/approval-hint.tsx';
import { ReasonField } from '../staff-parts/reason-dialog.tsx';
import { useCreatePromoCode } from './api.ts';
import { creditWords, emptyPromoCode, liability, type PromoCodeForm, promoCodeForm } from './promo-code-form.ts';

export function CreatePromoCodeForm({ onCreated }: { onCreated: () => void }) {
  const { t } = useTranslation('staffContent');
  const creation = useCreatePromoCode();
  const [today] = useState(() => toDay(new Date()));
  const form: FormState = useSchemaForm(promoCodeForm, emptyPromoCode);
  const { errors } = form.formState;
  const submit = form.handleSubmit(async (body) => {
    if ((await creation.run(body)) !== undefined) onCreated();
  });
  const field = (name: 'code' | 'referralEmail') => ({
    ...form.register(name),
    label: t(`promoCodes.create.${name}`),
    autoComplete: 'off',
    error: fieldErrorText(errors[name]),
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        <TextInput
          {...field('code')}
          data-autofocus
          error={
            errors.code?.message === CODE_CHARACTERS
              ? t('promoCodes.create.codeCharacters')
              : fieldErrorText(errors.code)
          }
        />
        <TextInput
          {...field('referralEmail')}
          type="email"
          inputMode="email"
          description={t('promoCodes.create.referralEmailHint')}
        />
        <Controller
          control={form.control}
          name="lastDay"
          render={({ field: { value, onChange } }) => (
            <DateField
              label={t('promoCodes.create.lastDay')}
              value={value}
              min={today}
              error={fieldErrorText(errors.lastDay)}
              onChange={onChange}
            />
          )}
        />
        <CreditFields form={form} />
        <Button type="submit" loading={creation.isRunning}>
          {t('promoCodes.create.submit')}
        </Button>
      </Stack>
    </form>
  );
}

const FIELD_ORDER = ['label', 'input', 'error', 'description'] as const;

type FormState = UseFormReturn<PromoCodeForm, unknown, CreatePromoCodeBody>;

/** The credit, what it needs as well, and what it can cost. */
function CreditFields({ form }: { form: FormState }) {
  const { t } = useTranslation('staffContent');
  const { errors } = form.formState;
  const [trialCredit, trialCreditsMax, budget] = useWatch({
    control: form.control,
    name: ['trialCredit', 'trialCreditsMax', 'budget'],
  });
  const hasCredit = trialCredit.trim() !== '' && readNumber('money', trialCredit).value !== 0;
  const words = creditWords({ trialCredit, trialCreditsMax, budget }, t);
  const field = (name: 'trialCredit' | 'trialCreditsMax' | 'budget') => ({
    ...form.register(name),
    label: t(`promoCodes.create.${name}`),
    // Below the input, so that the inputs are in one line regardless of the length of the explanations.
    description: t(`promoCodes.create.${name}Hint`),
    inputWrapperOrder: [...FIELD_ORDER],
    error: fieldErrorText(errors[name]),
  });
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NumberField
          {...field('trialCredit')}
          kind="money"
          value={trialCredit}
          min={0}
          max={TRIAL_CREDIT_DOLLARS_MAX}
        />
        <NumberField
          {...field('trialCreditsMax')}
          kind="count"
          value={trialCreditsMax}
          min={0}
          max={PROMO_CODE_CREDITS_MAX}
        />
        <NumberField {...field('budget')} kind="money" value={budget} min={0} max={PROMO_CODE_BUDGET_DOLLARS_MAX} />
      </SimpleGrid>
      <Controller
        control={form.control}
        name="reason"
        render={({ field: { value, onChange } }) => (
          <ReasonField
            reason={value}
            isOptional={!hasCredit}
            error={fieldErrorText(errors.reason)}
            onChange={onChange}
          />
        )}
      />
      {words !== undefined && <output>{words}</output>}
      <ApprovalHint list="PROMO_CODE" amount={liability({ trialCredit, trialCreditsMax, budget })} />
    </>
  );
}
