import type { Connection } from '@cellhop/contract/connections';
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { formatMoney } from '../../format/format.ts';
import { useProfile } from '../../session/profile.ts';
import { maximumCharge, parseCap } from '../../format/traffic-cap.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TrafficCapField } from '../../ui/traffic-cap-field.tsx';
import { AllowListForm } from './allow-list-form.tsx';
import classes from './connection-controls.module.css';
import { isFieldRefusal, useControl, useNewPassword } from './controls-api.ts';

/** The settings that the customer can change while a connection is open. */
export function ConnectionControls({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  return (
    <div className={classes['controls']}>
      <CapForm connection={connection} />
      <NewPassword connection={connection} />
      <Control title={t('controls.allowList.title')} text={t('controls.allowList.text')}>
        <AllowListForm connectionId={connection.id} />
      </Control>
    </div>
  );
}

function Control({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className={classes['control']}>
      <h3>{title}</h3>
      <p>{text}</p>
      {children}
    </section>
  );
}

function CapForm({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const { id, price, paidFor } = connection;
  const saved = connection.capMegabytes;
  const [text, setText] = useState(String(saved ?? ''));
  const cap = parseCap(text);
  const saving = useControl(() => t('controls.cap.saved'));
  const { balance = 0 } = useProfile() ?? {};
  const maximum = maximumCharge({ price, cap: cap ?? null, balance, paidFor });
  const isRefused = isFieldRefusal(saving.error) && saving.input?.capMegabytes === cap;
  return (
    <section className={classes['control']}>
      <form
        className={classes['line']}
        onSubmit={(event) => {
          event.preventDefault();
          if (cap !== undefined) void saving.run({ id, capMegabytes: cap });
        }}
      >
        <TrafficCapField text={text} refusal={isRefused ? errorText(saving.error) : undefined} onChange={setText} />
        <Button
          type="submit"
          variant="default"
          disabled={cap === undefined || cap === saved}
          loading={saving.isRunning}
        >
          {t('controls.cap.save')}
        </Button>
      </form>
      <p>{t('trafficCap.maximum', { amount: formatMoney(maximum) })}</p>
    </section>
  );
}

function NewPassword({ connection: { id } }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const [isAsking, setAsking] = useState(false);
  const changing = useNewPassword();
  return (
    <Control title={t('controls.password.title')} text={t('controls.password.text')}>
      <Button className={classes['action']} variant="default" onClick={() => setAsking(true)}>
        {t('controls.password.action')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('controls.password.question')}
        text={t('controls.password.warning')}
        action={t('controls.password.action')}
        isDangerous
        isWorking={changing.isRunning}
        onConfirm={async () => {
          if ((await changing.run(id)) !== undefined) setAsking(false);
        }}
        onClose={() => setAsking(false)}
      />
    </Control>
  );
}
