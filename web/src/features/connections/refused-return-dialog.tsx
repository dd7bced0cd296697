import type { Connection } from '@cellhop/contract/connections';
import { useTranslation } from 'react-i18next';
import { useLastDefined } from '../../hooks/use-last-defined.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

/** A connection whose return the server has refused. */
export interface RefusedReturn {
  connection: Connection;
  /** When a refund is possible again. */
  minutes: number;
}

interface RefusedReturnDialogProps {
  refused: RefusedReturn | undefined;
  isWorking: boolean;
  /** The user gives up the refund. */
  onConfirm: (connection: Connection) => Promise<unknown>;
  onClose: () => void;
}

export function RefusedReturnDialog({ refused, isWorking, onConfirm, onClose }: RefusedReturnDialogProps) {
  const { t } = useTranslation('proxyConnection');
  const shown = useLastDefined(refused);
  return (
    <ConfirmDialog
      isOpen={refused !== undefined}
      title={t('refusedReturn.title', { ip: shown?.connection.ip ?? '' })}
      text={t('refusedReturn.text', { count: shown?.minutes ?? 0 })}
      action={t('refusedReturn.action')}
      isDangerous
      isWorking={isWorking}
      onConfirm={async () => {
        if (refused !== undefined) await onConfirm(refused.connection);
      }}
      onClose={onClose}
    />
  );
}
