import { BALANCE_FILTER_DOLLARS_MAX, RECIPIENTS_TOLD_MIN } from '@cellhop/contract/limits';
import { seededRoles } from '@cellhop/contract/permissions';
import type { SendBroadcastBody } from '@cellhop/contract/staff/notifications';
import { Alert, Button, Group, Stack, Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWatch, Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../data/form-errors.ts';
import { formatCount, formatDate } from '../../format/format.ts';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { languages } from '../../i18n/languages.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { useCountRecipients, useSendBroadcast, useTestBroadcast } from './api.ts';
import { audienceWords, formatRecipients } from './audience-words.ts';
import { type BroadcastFormState, broadcastForm, emptyBroadcast } from './broadcast-form.ts';
import { SendingFields } from './sending-fields.tsx';
import { NotificationFields } from './notification-fields.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import classes from './staff-notifications.module.css';

interface Confirmation {
  body: SendBroadcastBody;
  count: number;
  /** The exact number is not told. */
  isFew: boolean;
}

/** Counts the recipients before it asks for confirmation. */
export function BroadcastFields({ onSent }: { onSent: () => void }) {
  const { t } = useTranslation('staffContent');
  const counting = useCountRecipients();
  const testing = useTestBroadcast();
  const [confirmation, setConfirmation] = useState<Confirmation>();
  const [hasNobody, setNobody] = useState(false);
  const form: BroadcastFormState = useSchemaForm(broadcastForm, emptyBroadcast);
  const submit = form.handleSubmit(async (body) => {
    const counted = await counting.run(body.audience);
    if (counted === undefined) return;
    const { count, isFew } = counted;
    setNobody(count === 0);
    if (count > 0) setConfirmation({ body, count, isFew });
  });
  const test = form.handleSubmit(async (body) => {
    await testing.run(body);
  });
  return (
    <>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack>
          <p className={classes['hint']}>{t('notifications.htmlHint')}</p>
          <div className={classes['columns']}>
            <Texts form={form} />
          </div>
          <AudienceFields form={form} />
          <SendingFields form={form} />
          {hasNobody && (
            <Alert role="alert" color="yellow" variant="light">
              {t('broadcasts.nobody')}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" loading={testing.isRunning} onClick={() => void test()}>
              {t('broadcasts.test.action')}
            </Button>
            <Button type="submit" loading={counting.isRunning}>
              {t('broadcasts.next')}
            </Button>
          </Group>
        </Stack>
      </form>
      <ConfirmSending confirmation={confirmation} onClose={() => setConfirmation(undefined)} onSent={onSent} />
    </>
  );
}

function Texts({ form }: { form: BroadcastFormState }) {
  const values = useWatch({ control: form.control });
  const chosen = values.audience?.languageCode ?? '';
  const shown = languages.filter((language) => chosen === '' || language === chosen);
  return shown.map((language) => (
    <NotificationFields
      key={language}
      language={language}
      register={(name) => form.register(`${language}.${name}`)}
      errors={form.formState.errors[language]}
      values={values[language]}
      hasFirstFocus={language === shown[0]}
    />
  ));
}

interface ConfirmSendingProps {
  confirmation: Confirmation | undefined;
  onClose: () => void;
  onSent: () => void;
}

function ConfirmSending({ confirmation, onClose, onSent }: ConfirmSendingProps) {
  const { t } = useTranslation(['staffContent', 'common']);
  const sending = useSendBroadcast();
  const shown = useLastDefined(confirmation);
  const scheduledAt = shown?.body.scheduledAt;
  const audience = shown === undefined ? '' : audienceWords(shown.body.audience, t).join('; ');
  return (
    <ConfirmDialog
      isOpen={confirmation !== undefined}
      title={
        shown?.isFew === true
          ? t('broadcasts.confirm.titleFew', { number: formatCount(RECIPIENTS_TOLD_MIN) })
          : t('broadcasts.confirm.title', { count: shown?.count ?? 0, number: formatRecipients(shown?.count ?? 0) })
      }
      text={[
        scheduledAt === undefined
          ? t('broadcasts.confirm.text', { audience })
          : t('broadcasts.confirm.textLater', { audience, time: formatDate(scheduledAt) }),
        ...(shown?.body.isMailed === true ? [t('broadcasts.confirm.mailed')] : []),
      ].join(' ')}
      action={t(scheduledAt === undefined ? 'broadcasts.confirm.action' : 'broadcasts.confirm.schedule')}
      isWorking={sending.isRunning}
      onConfirm={async () => {
        if (confirmation !== undefined && (await sending.run(confirmation.body)) !== undefined) onSent();
      }}
      onClose={onClose}
    />
  );
}

interface AudienceFieldsProps {
  form: BroadcastFormState;
}

const statuses = ['ACTIVE', 'BLOCKED'] as const;
const ROLES_LIST = 'broadcast-roles';

/** The filter of a broadcast. */
function AudienceFields({ form }: AudienceFieldsProps) {
  const { t } = useTranslation(['staffContent', 'common']);
  const any = { value: '', label: t('broadcasts.any') };
  const yesOrNo = (key: 'connection' | 'confirmed') =>
    (['YES', 'NO'] as const).map((value) => ({ value, label: t(`broadcasts.${key}Choices.${value}`) }));
  const mayFilterUsers = usePermission('USERS_READ');
  const mayFilterConnections = usePermission('CONNECTIONS_READ');
  if (!mayFilterUsers && !mayFilterConnections) return <p className={classes['hint']}>{t('broadcasts.everyone')}</p>;
  return (
    <fieldset className={classes['filter']} aria-label={t('broadcasts.audience')}>
      {mayFilterUsers && (
        <>
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
        </>
      )}
      {mayFilterConnections && <Choice form={form} name="connection" data={[any, ...yesOrNo('connection')]} />}
      {mayFilterUsers && <UserFields form={form} />}
    </fieldset>
  );
}

function UserFields({ form }: AudienceFieldsProps) {
  const { t } = useTranslation('staffContent');
  const errors = form.formState.errors.audience;
  const [balanceFrom, balanceBelow] = useWatch({
    control: form.control,
    name: ['audience.balanceFrom', 'audience.balanceBelow'],
  });
  const field = (name: 'roleName' | 'balanceFrom' | 'balanceBelow') => ({
    ...form.register(`audience.${name}`),
    label: t(`broadcasts.${name}`),
    autoComplete: 'off',
    error: fieldErrorText(errors?.[name]),
  });
  return (
    <>
      <Day form={form} name="firstDay" />
      <Day form={form} name="lastDay" />
      <NumberField
        {...field('balanceFrom')}
        kind="money"
        value={balanceFrom}
        min={0}
        max={BALANCE_FILTER_DOLLARS_MAX}
      />
      <NumberField
        {...field('balanceBelow')}
        kind="money"
        value={balanceBelow}
        min={0}
        max={BALANCE_FILTER_DOLLARS_MAX}
      />
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
    </>
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
