import type { AlertSettings } from '@cellhop/contract/alerts';
import { ALERT_DOLLARS_MAX } from '@cellhop/contract/limits';
import { Button, Checkbox, Text } from '@mantine/core';
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
const otherMails = ['isTicketMailed', 'isTopUpMailed', 'isNewsMailed'] as const;

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
  const [choices, setChoices] = useState<Choices>(settings);
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
        // Not what another page or a link in an email may have changed meanwhile.
        const changed = otherMails.filter((name) => choices[name] !== settings[name]);
        const others = Object.fromEntries(changed.map((name) => [name, choices[name]]));
        void saving.run({ lowBalance, isMailed, endMails, ...others });
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
      <OtherMails choices={choices} onChange={setChoices} />
      <div className={classes['actions']}>
        <Button type="submit" disabled={lowBalance === undefined} loading={saving.isRunning}>
          {t('alerts.save')}
        </Button>
      </div>
    </form>
  );
}

type Choices = Pick<AlertSettings, (typeof otherMails)[number]>;

function OtherMails({ choices, onChange }: { choices: Choices; onChange: (choices: Choices) => void }) {
  const { t } = useTranslation('user');
  return (
    <>
      {otherMails.map((name) => (
        <Checkbox
          key={name}
          label={t(`alerts.${name}`)}
          checked={choices[name]}
          onChange={({ currentTarget }) => onChange({ ...choices, [name]: currentTarget.checked })}
        />
      ))}
      <Text size="sm" c="dimmed">
        {t('alerts.always')}
      </Text>
    </>
  );
}
