import type { Session } from '@cellhop/contract/auth';
import { Button } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { destructive } from '../../ui/destructive.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import classes from './account-section.module.css';
import { AccountSection, SectionContent } from './account-section.tsx';
import { useRevokeOtherSessions, useRevokeSession, useSessions } from './api.ts';
import { deviceText, isPhone } from './device-text.ts';

export function SessionsSection() {
  const { t } = useTranslation('user');
  const sessions = useSessions();
  const ending = useRevokeSession();
  const [isConfirming, setConfirming] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const hasOthers = (sessions.response?.data.length ?? 0) > 1;

  /** The focused button is removed with its row. */
  function takeFocus() {
    heading.current?.focus({ preventScroll: true });
  }

  async function end(id: string) {
    if ((await ending.run(id)) !== undefined) takeFocus();
  }

  return (
    <AccountSection anchor="sessions" title={t('sessions.title')} text={t('sessions.text')} headingRef={heading}>
      <SectionContent state={sessions} failedText={t('sessions.failed')} placeholders={[40, 40]}>
        {(rows) => (
          <ul aria-label={t('sessions.title')}>
            {rows.map((session) => (
              <SessionLine
                key={session.id}
                session={session}
                isEnding={ending.isRunning && ending.input === session.id}
                onEnd={() => void end(session.id)}
              />
            ))}
          </ul>
        )}
      </SectionContent>
      {hasOthers && (
        <div className={classes['line']}>
          <span className={classes['muted']}>{t('sessions.unknown')}</span>
          <Button {...destructive.opens} onClick={() => setConfirming(true)}>
            {t('sessions.endOthers')}
          </Button>
        </div>
      )}
      <EndOthersDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        onDone={() => {
          setConfirming(false);
          takeFocus();
        }}
      />
    </AccountSection>
  );
}

interface EndOthersDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onDone: () => void;
}

function EndOthersDialog({ isOpen, onClose, onDone }: EndOthersDialogProps) {
  const { t } = useTranslation('user');
  const ending = useRevokeOtherSessions();

  async function endOthers() {
    if ((await ending.run()) !== undefined) onDone();
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('sessions.endOthersTitle')}
      text={t('sessions.endOthersText')}
      action={t('sessions.endOthers')}
      isDangerous
      isWorking={ending.isRunning}
      onConfirm={endOthers}
      onClose={onClose}
    />
  );
}

interface SessionLineProps {
  session: Session;
  isEnding: boolean;
  onEnd: () => void;
}

function SessionLine({ session: { device, ip, usedAt, isCurrent }, isEnding, onEnd }: SessionLineProps) {
  const { t } = useTranslation('user');
  const name = deviceText(device, t);
  const Icon = isPhone(device) ? IconDeviceMobile : IconDeviceDesktop;
  return (
    <li className={classes['session']}>
      <Icon className={classes['icon']} size={24} stroke={1.5} aria-hidden="true" />
      <div>
        <p className={classes['device']}>
          {name}
          {isCurrent && <StatusBadge tone="good" text={t('sessions.current')} />}
        </p>
        <p className={classes['details']}>
          <span>{ip}</span>
          <span>{t('sessions.usedAt', { date: formatDate(usedAt) })}</span>
        </p>
      </div>
      {!isCurrent && (
        <Button
          {...destructive.opens}
          aria-label={t('sessions.endOf', { device: name, ip })}
          loading={isEnding}
          onClick={onEnd}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}
