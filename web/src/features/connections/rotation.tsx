import type { Connection } from '@cellhop/contract/connections';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { useSecondsLeft } from '../../hooks/use-seconds-left.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { isLive, useAddresses, useRotate, useRotationLink, useTimer } from './api.ts';
import form from './label-form.module.css';
import classes from './rotation.module.css';

/** Orders another address for a connection; nothing where that is not possible. */
export function RotateButton({ connection: { id, ip, rotation } }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const rotating = useRotate();
  const secondsLeft = useSecondsLeft(rotation?.availableAt == null ? 0 : Date.parse(rotation.availableAt));
  // A response of the previous release has none.
  if (!rotation) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t('rotation.actionOf', { ip })}
      loading={rotating.isRunning || rotation.state === 'ROTATING'}
      disabled={secondsLeft > 0}
      onClick={() => void rotating.run(id)}
    >
      {secondsLeft > 0 ? t('rotation.again', { seconds: secondsLeft }) : t('rotation.action')}
    </Button>
  );
}

/** The address of now, if it is not the one that was sold, and what became of the last change. */
export function RotationState({ connection: { ip, currentIp, rotation } }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  if (!rotation) return null;
  const { state } = rotation;
  return (
    <output className={classes['state']}>
      {state === 'ROTATING' && <p>{t('rotation.states.ROTATING')}</p>}
      {(state === 'SAME_IP' || state === 'FAILED') && <p>{t(`rotation.states.${state}`)}</p>}
      {state !== 'ROTATING' && currentIp !== null && currentIp !== ip && (
        <p>
          {t('rotation.now')} <code>{currentIp}</code>
        </p>
      )}
    </output>
  );
}

function TimerForm({ connection: { id, rotation } }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const saving = useTimer();
  const saved = String(rotation?.everyMinutes ?? '');
  const [text, setText] = useState(saved);
  const given = text.trim();
  const isValid = given === '' || (/^\d{1,4}$/.test(given) && Number(given) >= 2 && Number(given) <= 1440);
  return (
    <form
      className={form['form']}
      onSubmit={(event) => {
        event.preventDefault();
        void saving.run({ id, rotateEveryMinutes: given === '' ? null : Number(given) });
      }}
    >
      <TextInput
        label={t('rotation.timer.field')}
        inputMode="numeric"
        autoComplete="off"
        value={text}
        error={isValid ? undefined : t('rotation.timer.invalid')}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button
        type="submit"
        variant="default"
        aria-label={t('rotation.timer.save')}
        disabled={!isValid || given === saved}
        loading={saving.isRunning}
      >
        {t('label.save')}
      </Button>
    </form>
  );
}

/** The link for programs that can open a URL and nothing else. */
function SecretLink({ connection: { id, rotation } }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const making = useRotationLink();
  const link = rotation?.link ?? null;
  return (
    <>
      <h4>{t('rotation.link.title')}</h4>
      <p>{t('rotation.link.text')}</p>
      {link !== null && <Copyable name={t('rotation.link.title')} value={link} isWrapped />}
      <Button size="compact-sm" variant="default" loading={making.isRunning} onClick={() => void making.run(id)}>
        {t(link === null ? 'rotation.link.make' : 'rotation.link.renew')}
      </Button>
    </>
  );
}

/** In the details of a connection: the change, and its last addresses. */
export function RotationSection({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const addresses = useAddresses(connection).response?.data ?? [];
  if (!connection.rotation || !isLive(connection)) return null;
  return (
    <section className={classes['section']}>
      <h3>{t('rotation.title')}</h3>
      <p>{t('rotation.text')}</p>
      <RotateButton connection={connection} />
      <RotationState connection={connection} />
      <TimerForm key={connection.rotation.everyMinutes} connection={connection} />
      <SecretLink connection={connection} />
      {addresses.length > 0 && (
        <>
          <h4>{t('rotation.addresses')}</h4>
          <ul className={classes['addresses']} aria-label={t('rotation.addresses')}>
            {addresses.map(({ ip, since }) => (
              <li key={`${ip} ${since}`}>
                <code>{ip}</code> <small>{formatDate(since)}</small>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
