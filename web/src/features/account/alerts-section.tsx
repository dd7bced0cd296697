import type { AlertSettings } from '@cellhop/contract/alerts';
import { ALERT_DOLLARS_MAX } from '@cellhop/contract/limits';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseAmount } from '../../format/amount.ts';
import { formatMoney } from '../../format/format.ts';
import { AccountSection, SectionContent } from './account-section.tsx';
import classes from './account-section.module.css';
import { useAlertSettings, useSaveAlertSettings } from './api.ts';

const endReasons = ['noMoney', 'idle', 'exitLost'] as const;

export function AlertsSection() {
  const { t } = useTranslation('user');
  return (
    <AccountSection anchor="alerts" title={t('alerts.title')} text={t('alerts.text')}>
      <SectionContent state={useAlertSettings()} failedText={t('alerts.failed')} placeholders={[60, 24]}>
        {(settings) => <AlertsForm settings={settings} />}
      </SectionContent>
    </AccountSection>
  );
}

function AlertsForm({ settings }: { settings: AlertSettings }) {
  const { t } = useTranslation(['user', 'common']);
  const [text, setText] = useState(settings.lowBalance === null ? '' : formatMoney(settings.lowBalance));
  const [isMailed, setMailed] = useState(settings.isMailed);
  const [endMails, setEndMails] = useState(settings.endMails);
  const saving = useSaveAlertSettings();
  // Empty: the default.
  const lowBalance = text.trim() === '' ? null : parseAmount(text);
  const isTooLarge = (lowBalance ?? 0) > ALERT_DOLLARS_MAX;
  const isValid = lowBalance !== undefined && !isTooLarge;
  const error = isTooLarge
    ? t('common:form.maximum', { value: formatMoney(ALERT_DOLLARS_MAX) })
    : lowBalance === undefined && t('common:form.amount');

  return (
    <form
      className={classes['padded']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) void saving.run({ lowBalance, isMailed, endMails });
      }}
    >
      <TextInput
        label={t('alerts.lowBalance')}
        description={t('alerts.lowBalanceHint')}
        placeholder={t('alerts.default')}
        inputMode="decimal"
        autoComplete="off"
        value={text}
        error={error}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Checkbox
        label={t('alerts.mail')}
        checked={isMailed}
        onChange={({ currentTarget }) => setMailed(currentTarget.checked)}
      />
      <Checkbox.Group
        label={t('alerts.endMails')}
        value={endReasons.filter((reason) => endMails[reason])}
        onChange={(chosen) =>
          setEndMails({
            noMoney: chosen.includes('noMoney'),
            idle: chosen.includes('idle'),
            exitLost: chosen.includes('exitLost'),
          })
        }
      >
        {endReasons.map((reason) => (
          <Checkbox key={reason} mt="xs" value={reason} label={t(`alerts.endMailKinds.${reason}`)} />
        ))}
      </Checkbox.Group>
      <div className={classes['actions']}>
        <Button type="submit" disabled={!isValid} loading={saving.isRunning}>
          {t('alerts.save')}
        </Button>
      </div>
    </form>
  );
}
