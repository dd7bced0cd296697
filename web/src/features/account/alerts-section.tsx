import type { AlertSettings } from '@cellhop/contract/alerts';
import { ALERT_DOLLARS_MAX } from '@cellhop/contract/limits';
import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { readNumber } from '../../format/number-kinds.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { AccountSection, SectionContent } from './account-section.tsx';
import classes from './account-section.module.css';
import { useAlertSettings, useSaveAlertSettings } from './api.ts';

const bounds = { max: ALERT_DOLLARS_MAX };
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
  const { t } = useTranslation('user');
  const [text, setText] = useState(settings.lowBalance === null ? '' : formatMoney(settings.lowBalance));
  const [isMailed, setMailed] = useState(settings.isMailed);
  const [endMails, setEndMails] = useState(settings.endMails);
  const [isNewsMailed, setNewsMailed] = useState(settings.isNewsMailed);
  const saving = useSaveAlertSettings();
  // Empty: the default.
  const lowBalance = text.trim() === '' ? null : readNumber('money', text, bounds).value;

  return (
    <form
      className={classes['padded']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (lowBalance === undefined) return;
        // The previous release refuses it: while its processes still run, the other settings can be saved nevertheless.
        const news = isNewsMailed === settings.isNewsMailed ? {} : { isNewsMailed };
        void saving.run({ lowBalance, isMailed, endMails, ...news });
      }}
    >
      <NumberField
        kind="money"
        {...bounds}
        label={t('alerts.lowBalance')}
        description={t('alerts.lowBalanceHint')}
        placeholder={t('alerts.default')}
        value={text}
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
      <Checkbox
        label={t('alerts.news')}
        checked={isNewsMailed}
        onChange={({ currentTarget }) => setNewsMailed(currentTarget.checked)}
      />
      <div className={classes['actions']}>
        <Button type="submit" disabled={lowBalance === undefined} loading={saving.isRunning}>
          {t('alerts.save')}
        </Button>
      </div>
    </form>
  );
}
