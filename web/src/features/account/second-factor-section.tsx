import type { SecondFactor } from '@cellhop/contract/auth';
import { Button, Skeleton } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { useProfile } from '../../session/profile.ts';
import { destructive } from '../../ui/destructive.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { AccountSection } from './account-section.tsx';
import classes from './account-section.module.css';
import { useSecondFactor } from './api.ts';
import { DisableDialog, RenewCodesDialog, SetUpDialog } from './second-factor-dialogs.tsx';

type Task = 'SET_UP' | 'RENEW' | 'DISABLE';

export function SecondFactorSection() {
  const { t } = useTranslation('user');
  const { response, failure } = useSecondFactor();
  const profile = useProfile();
  const [task, setTask] = useState<Task>();
  const secondFactor = response?.data;
  const heading = useRef<HTMLHeadingElement>(null);

  function close() {
    setTask(undefined);
    // The dialog returns the focus to the button that opened it, which may be removed.
    heading.current?.focus({ preventScroll: true });
  }

  return (
    <AccountSection
      anchor="second-factor"
      title={t('secondFactor.title')}
      text={t('secondFactor.text')}
      headingRef={heading}
    >
      {failure !== undefined ? (
        <div className={classes['padded']}>
          <LoadFailure text={t('secondFactor.failed')} {...failure} />
        </div>
      ) : secondFactor === undefined ? (
        <Loading isOn={profile?.secondFactor === 'ON'} />
      ) : secondFactor.isOn ? (
        <SecondFactorEnabled secondFactor={secondFactor} onTask={setTask} />
      ) : (
        <SecondFactorDisabled isRequired={secondFactor.isRequired} onSetUp={() => setTask('SET_UP')} />
      )}
      <SetUpDialog isOpen={task === 'SET_UP'} onClose={close} />
      <RenewCodesDialog isOpen={task === 'RENEW'} onClose={close} />
      <DisableDialog isOpen={task === 'DISABLE'} onClose={close} />
    </AccountSection>
  );
}

/** As tall as the content, so that nothing below it moves. */
function Loading({ isOn }: { isOn: boolean }) {
  return (
    <div aria-busy="true">
      <div className={classes['line']}>
        <Skeleton height={isOn ? 52 : 36} />
      </div>
      {isOn && (
        <div className={classes['line']}>
          <Skeleton height={46} />
        </div>
      )}
    </div>
  );
}

function SecondFactorDisabled({ isRequired, onSetUp }: { isRequired: boolean; onSetUp: () => void }) {
  const { t } = useTranslation('user');
  return (
    <div className={classes['line']}>
      <div className={classes['status']}>
        <StatusBadge tone={isRequired ? 'warning' : 'neutral'} text={t('secondFactor.off')} />
        {isRequired && <span className={classes['warning']}>{t('secondFactor.required')}</span>}
      </div>
      <Button onClick={onSetUp}>{t('secondFactor.setUp')}</Button>
    </div>
  );
}

const FEW_CODES = 3;

interface SecondFactorEnabledProps {
  secondFactor: SecondFactor;
  onTask: (task: Task) => void;
}

function SecondFactorEnabled({
  secondFactor: { isRequired, onSince, recoveryCodesLeft },
  onTask,
}: SecondFactorEnabledProps) {
  const { t } = useTranslation('user');
  return (
    <>
      <div className={classes['line']}>
        <div className={classes['status']}>
          <StatusBadge tone="good" text={t('secondFactor.on')} />
          {onSince !== null && (
            <span className={classes['muted']}>{t('secondFactor.onSince', { date: formatDate(onSince) })}</span>
          )}
        </div>
        {isRequired ? (
          <span className={classes['muted']}>{t('secondFactor.requiredOn')}</span>
        ) : (
          <Button {...destructive.opens} onClick={() => onTask('DISABLE')}>
            {t('secondFactor.switchOff')}
          </Button>
        )}
      </div>
      <div className={classes['line']}>
        <div>
          <p className={classes['name']}>{t('codes.title')}</p>
          <p className={classes[recoveryCodesLeft < FEW_CODES ? 'warning' : 'muted']}>
            {t('codes.left', { count: recoveryCodesLeft })}
          </p>
        </div>
        <Button variant="default" onClick={() => onTask('RENEW')}>
          {t('codes.renew')}
        </Button>
      </div>
    </>
  );
}
