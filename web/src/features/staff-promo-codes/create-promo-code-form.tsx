import { Button, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Controller, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { toDay } from '../../format/day.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { DateField } from '../../ui/date-field.tsx';
import { useCreatePromoCode } from './api.ts';
import { creditWords, emptyPromoCode, type PromoCodeForm, promoCodeForm } from './promo-code-form.ts';

export function CreatePromoCodeForm({ onCreated }: { onCreated: () => void }) {
  const { t } = useTranslation('staffContent');
  const creation = useCreatePromoCode();
  const [today] = useState(() => toDay(new Date()));
  const form = useSchemaForm(promoCodeForm, emptyPromoCode);
  const { errors } = form.formState;
  const [trialCredit, trialCreditsMax, budget] = useWatch({
    control: form.control,
    name: ['trialCredit', 'trialCreditsMax', 'budget'],
  });
  const words = creditWords({ trialCredit, trialCreditsMax, budget }, t);
  const submit = form.handleSubmit(async (body) => {
    if ((await creation.run(body)) !== undefined) onCreated();
  });
  const field = (name: keyof PromoCodeForm) => ({
    ...form.register(name),
    label: t(`promoCodes.create.${name}`),
    autoComplete: 'off',
    error: fieldErrorText(errors[name]),
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        <TextInput {...field('code')} data-autofocus />
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
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextInput {...field('trialCredit')} inputMode="decimal" leftSection="$" placeholder="0.00" />
          <TextInput {...field('trialCreditsMax')} inputMode="numeric" placeholder={t('promoCodes.create.unlimited')} />
          <TextInput
            {...field('budget')}
            inputMode="decimal"
            leftSection="$"
            placeholder={t('promoCodes.create.unlimited')}
          />
        </SimpleGrid>
        {words !== undefined && <output>{words}</output>}
        <Button type="submit" loading={creation.isRunning}>
          {t('promoCodes.create.submit')}
        </Button>
      </Stack>
    </form>
  );
}
