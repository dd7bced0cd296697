import { seededRoles } from '@cellhop/contract/permissions';
import type { SendBroadcastBody } from '@cellhop/contract/staff/notifications';
import { Select, Textarea, TextInput } from '@mantine/core';
import { Controller, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { languages } from '../../i18n/languages.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import { DateField } from '../../ui/date-field.tsx';
import type { BroadcastForm } from './broadcast-form.ts';
import classes from './staff-notifications.module.css';

export type BroadcastFormState = UseFormReturn<BroadcastForm, unknown, SendBroadcastBody>;

interface AudienceFieldsProps {
  form: BroadcastFormState;
}

const statuses = ['ACTIVE', 'BLOCKED'] as const;
const ROLES_LIST = 'broadcast-roles';

/** The filter of a broadcast. */
export function AudienceFields({ form }: AudienceFieldsProps) {
  const { t } = useTranslation(['staffContent', 'common']);
  const errors = form.formState.errors.audience;
  const any = { value: '', label: t('broadcasts.any') };
  const yesOrNo = (key: 'connection' | 'confirmed') =>
    (['YES', 'NO'] as const).map((value) => ({ value, label: t(`broadcasts.${key}Choices.${value}`) }));
  const field = (name: 'roleName' | 'balanceFrom' | 'balanceBelow') => ({
    ...form.register(`audience.${name}`),
    label: t(`broadcasts.${name}`),
    autoComplete: 'off',
    error: fieldErrorText(errors?.[name]),
  });
  return (
    <fieldset className={classes['filter']} aria-label={t('broadcasts.audience')}>
      <Choice
        form={form}
        name="languageCode"
        data={[any, ...languages.map((value) => ({ value, label: t(`common:languages.${value}`) }))]}
      />
      <Choice
        form={form}
        name="status"
        data={statuses.map((value) => ({ value, label: t(`broadcasts.statusChoices.${value}`) }))}
      />
      <Choice form={form} name="confirmed" data={yesOrNo('confirmed')} />
      <Choice form={form} name="connection" data={[any, ...yesOrNo('connection')]} />
      <Day form={form} name="firstDay" />
      <Day form={form} name="lastDay" />
      <TextInput {...field('balanceFrom')} inputMode="decimal" leftSection="$" />
      <TextInput {...field('balanceBelow')} inputMode="decimal" leftSection="$" />
      <TextInput {...field('roleName')} list={ROLES_LIST} />
      <datalist id={ROLES_LIST}>
        {Object.keys(seededRoles).map((role) => (
          <option key={role}>{role}</option>
        ))}
      </datalist>
      <Textarea
        {...form.register('audience.userIds')}
        className={classes['wide'] ?? ''}
        label={t('broadcasts.userIds')}
        description={t('broadcasts.userIdsHint')}
        autosize
        minRows={1}
        maxRows={6}
        error={errors?.userIds && t('broadcasts.userIdsInvalid')}
      />
    </fieldset>
  );
}

interface ChoiceProps extends AudienceFieldsProps {
  name: 'languageCode' | 'status' | 'confirmed' | 'connection';
  data: { value: string; label: string }[];
}

function Choice({ form, name, data }: ChoiceProps) {
  const { t } = useTranslation('staffContent');
  return (
    <Controller
      control={form.control}
      name={`audience.${name}`}
      render={({ field: { value, onChange, ...field } }) => (
        <Select
          {...field}
          label={t(`broadcasts.${name}`)}
          data={data}
          value={value}
          allowDeselect={false}
          onChange={onChange}
        />
      )}
    />
  );
}

function Day({ form, name }: AudienceFieldsProps & { name: 'firstDay' | 'lastDay' }) {
  const { t } = useTranslation('staffContent');
  return (
    <Controller
      control={form.control}
      name={`audience.${name}`}
      render={({ field: { value, onChange } }) => (
        <DateField label={t(`broadcasts.${name}`)} value={value} onChange={onChange} />
      )}
    />
  );
}
