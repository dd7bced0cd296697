import type { Connection } from '@cellhop/contract/connections';
import { useTranslation } from 'react-i18next';
import { toLocalTime } from '../../data/server-clock.ts';
import { useSettings } from '../../data/settings.ts';
import { formatTotal } from '../../format/money.ts';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { useShopTimes } from '../../hooks/use-shop-times.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { expectedRefund } from './refund.ts';

interface DisconnectDialogProps {
  connection: Connection | undefined;
  isWorking: boolean;
  onConfirm: (connection: Connection) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for confirmation before a connection is ended, and shows the refund. */
export function DisconnectDialog({ connection, isWorking, onConfirm, onClose }: DisconnectDialogProps) {
  const { t } = useTranslation('proxyConnection');
  const shown = useLastDefined(connection);
  const refund = useRefundText();
  return (
    <ConfirmDialog
      isOpen={connection !== undefined}
      title={t('ending.title', { ip: shown?.ip ?? '' })}
      text={shown === undefined ? '' : `${t('ending.text')} ${refund(shown)}`}
      action={t('table.disconnect')}
      isDangerous
      isWorking={isWorking}
      onConfirm={async () => {
        if (connection !== undefined) await onConfirm(connection);
      }}
      onClose={onClose}
    />
  );
}

function useRefundText(): (connection: Connection) => string {
  const { t } = useTranslation('proxyConnection');
  const { refundMinutes } = useSettings();
  const times = useShopTimes();
  return (connection) => {
    const ageMs = Date.now() - toLocalTime(Date.parse(connection.firstBoughtAt ?? connection.createdAt));
    const refund = expectedRefund(connection, ageMs, refundMinutes);
    if (refund.kind === 'UNUSED')
      return t('ending.refund.UNUSED', { amount: formatTotal(refund.dollars), megabytes: refund.megabytes });
    return t(`ending.refund.${refund.kind}`, times);
  };
}

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
