import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../data/http.ts';
import { useAction } from '../../data/use-action.ts';
import { ReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { openView } from './open-view.ts';

interface ViewAsButtonProps {
  user: { id: string; email: string };
}

/** Lets staff with the permission see the app as a user. */
export function ViewAsButton({ user: { id, email } }: ViewAsButtonProps) {
  const { t } = useTranslation('staff');
  const canView = usePermission('USERS_VIEW_AS');
  const [isAsking, setAsking] = useState(false);
  const start = useAction({
    call: async (reason: string) =>
      (await call('POST /v1/users/admin/{id}/views', { params: { id }, body: { reason } })).data,
    onSuccess: openView,
  });
  if (!canView) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconEye size={18} aria-hidden="true" />} onClick={() => setAsking(true)}>
        {t('viewAs.action')}
      </Button>
      <ReasonDialog
        isOpen={isAsking}
        title={t('viewAs.title', { email })}
        text={t('viewAs.text')}
        action={t('viewAs.action')}
        isWorking={start.isRunning}
        onConfirm={(reason) => void start.run(reason ?? '')}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
