import type { Session } from '@cellhop/contract/security';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showErrorToast } from '../../lib/error-text.ts';
import { showToast } from '../../lib/toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';
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
  const rows = sessions.data?.data;

  function end({ id }: Session) {
    ending.mutate(id, {
      onSuccess: () => showToast('success', t('sessions.ended')),
      onError: (error) => showErrorToast(error),
    });
  }

  return (
    <AccountSection anchor="sessions" title={t('sessions.title')} text={t('sessions.text')}>
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
              onEnd={() => end(session)}
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
      <EndOthersDialog isOpen={isAsking} onClose={() => setAsking(false)} />
    </AccountSection>
  );
}

function EndOthersDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation(['user', 'common']);
  const ending = useRevokeOtherSessions();

  function endOthers() {
    ending.mutate(undefined, {
      onSuccess: (count) => {
        showToast('success', t('sessions.endedOthers', { count }));
        onClose();
      },
      onError: (error) => showErrorToast(error),
    });
  }

  return (
    <Dialog isOpen={isOpen} title={t('sessions.endOthersTitle')} size="sm" onClose={onClose}>
      <Stack>
        <Text>{t('sessions.endOthersText')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button color="red" loading={ending.isPending} onClick={endOthers}>
            {t('sessions.endOthers')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
