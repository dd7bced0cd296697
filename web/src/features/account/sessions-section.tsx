import type { Session } from '@cellhop/contract/auth';
import { Button, Skeleton, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showErrorToast } from '../../lib/error-text.ts';
import { showToast } from '../../lib/toasts.ts';
import { useOneAtATime } from '../../lib/use-one-at-a-time.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { AccountSection } from './account-section.tsx';
import classes from './account-section.module.css';
import { useRevokeOtherSessions, useRevokeSession, useSessions } from './api.ts';
import { SessionLine } from './session-line.tsx';

export function SessionsSection() {
  const { t } = useTranslation('user');
  const sessions = useSessions();
  const ending = useRevokeSession();
  const [isAsking, setAsking] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const rows = sessions.data?.data;

  /** The button that had it goes with its line. */
  function takeFocus() {
    heading.current?.focus({ preventScroll: true });
  }

  const end = useOneAtATime(async ({ id }: Session) => {
    try {
      await ending.mutateAsync(id);
      showToast('success', t('sessions.ended'));
      takeFocus();
    } catch (error) {
      showErrorToast(error);
    }
  });

  return (
    <AccountSection anchor="sessions" title={t('sessions.title')} text={t('sessions.text')} headingRef={heading}>
      {sessions.isError && rows === undefined ? (
        <div className={classes['padded']}>
          <LoadFailure
            text={t('sessions.failed')}
            error={sessions.error}
            isRetrying={sessions.isFetching}
            onRetry={() => void sessions.refetch()}
          />
        </div>
      ) : rows === undefined ? (
        <Stack p="lg" aria-busy="true">
          <Skeleton height={40} />
          <Skeleton height={40} />
        </Stack>
      ) : (
        <ul aria-label={t('sessions.title')}>
          {rows.map((session) => (
            <SessionLine
              key={session.id}
              session={session}
              isEnding={ending.isPending && ending.variables === session.id}
              onEnd={() => void end(session)}
            />
          ))}
        </ul>
      )}
      {rows !== undefined && rows.length > 1 && (
        <div className={classes['line']}>
          <span className={classes['muted']}>{t('sessions.unknown')}</span>
          <Button variant="default" onClick={() => setAsking(true)}>
            {t('sessions.endOthers')}
          </Button>
        </div>
      )}
      <EndOthersDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onDone={() => {
          setAsking(false);
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
    try {
      const count = await ending.mutateAsync();
      showToast('success', t('sessions.endedOthers', { count }));
      onDone();
    } catch (error) {
      showErrorToast(error);
    }
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('sessions.endOthersTitle')}
      text={t('sessions.endOthersText')}
      action={t('sessions.endOthers')}
      isDangerous
      isWorking={ending.isPending}
      onConfirm={endOthers}
      onClose={onClose}
    />
  );
}
