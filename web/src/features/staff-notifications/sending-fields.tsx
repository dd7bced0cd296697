import { BROADCAST_DAYS_AHEAD_MAX } from '@cellhop/contract/limits';
import { Checkbox, SegmentedControl } from '@mantine/core';
import { Controller, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { DateTimeField } from '../../ui/date-field.tsx';
import type { BroadcastFormState } from './broadcast-form.ts';
import classes from './staff-notifications.module.css';

/** When a broadcast is sent, and whether by email, too. */
export function SendingFields({ form }: { form: BroadcastFormState }) {
  const { t } = useTranslation('staffContent');
  const when = useWatch({ control: form.control, name: 'when' });
  return (
    <fieldset className={classes['filter']} aria-label={t('broadcasts.sending')}>
      <Controller
        control={form.control}
        name="when"
        render={({ field: { value, onChange } }) => (
          <SegmentedControl
            aria-label={t('broadcasts.when')}
            value={value}
            onChange={onChange}
            data={(['NOW', 'LATER'] as const).map((choice) => ({
              value: choice,
              label: t(`broadcasts.whenChoices.${choice}`),
            }))}
          />
        )}
      />
      {when === 'LATER' && (
        <Controller
          control={form.control}
          name="minute"
          render={({ field: { value, onChange }, fieldState: { error } }) => (
            <DateTimeField
              label={t('broadcasts.minute')}
              value={value}
              error={error && t('broadcasts.minuteInvalid', { days: BROADCAST_DAYS_AHEAD_MAX })}
              onChange={onChange}
            />
          )}
        />
      )}
      <Controller
        control={form.control}
        name="isMailed"
        render={({ field: { value, onChange } }) => (
          <Checkbox
            className={classes['wide'] ?? ''}
            label={t('broadcasts.isMailed')}
            description={t('broadcasts.isMailedHint')}
            checked={value}
            onChange={({ currentTarget }) => onChange(currentTarget.checked)}
          />
        )}
      />
    </fieldset>
  );
}
