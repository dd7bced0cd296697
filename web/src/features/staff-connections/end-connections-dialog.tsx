import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { useTranslation } from 'react-i18next';
import { formatTotal } from '../../format/money.ts';
import { BulkDialog } from '../staff-parts/bulk-dialog.tsx';
import { ReasonDialog } from '../staff-parts/reason-dialog.tsx';
import type { RowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { useEndConnection, useEndConnections } from './api.ts';

export function EndConnectionDialog({ snapshot }: { snapshot: RowSnapshot<StaffConnection> }) {
  const { t } = useTranslation('staffConnections');
  const end = useEndConnection();
  const { row, shown, isOpen, close } = snapshot;

  async function confirm(reason: string | undefined): Promise<void> {
    if (row === undefined) return;
    if ((await end.run({ connection: row, reason })) !== undefined) close();
  }

  return (
    <ReasonDialog
      isOpen={isOpen}
      title={t('end.title', { ip: shown?.ip ?? '' })}
      text={t('end.text', { email: shown?.user.email ?? '' })}
      action={t('end.action')}
      isDangerous
      isOptional
      isWorking={end.isRunning}
      onConfirm={(reason) => void confirm(reason)}
      onClose={close}
    />
  );
}

interface EndConnectionsDialogProps {
  /** The connections as they were when the dialog opened. */
  snapshot: RowSnapshot<readonly StaffConnection[]>;
  onEnded: () => void;
}

/** Ends several connections. One that has ended meanwhile is no failure. */
export function EndConnectionsDialog({ snapshot, onEnded }: EndConnectionsDialogProps) {
  const { t } = useTranslation('staffConnections');
  const ending = useEndConnections();
  const connections = snapshot.shown ?? [];

  async function end(reason: string | undefined): Promise<void> {
    const results = await ending.run({ ids: connections.map(({ id }) => id), reason });
    if (results === undefined) return;
    snapshot.close();
    onEnded();
  }

  return (
    <BulkDialog
      isOpen={snapshot.isOpen}
      title={t('endSelected.title', { count: connections.length })}
      text={t('endSelected.text')}
      items={connections.map(({ id, ip, user, paidFor }) => ({
        key: id,
        name: `${ip}, ${user.email}`,
        detail: formatTotal(paidFor),
      }))}
      action={t('endSelected.actionOf', { count: connections.length })}
      isDangerous
      isOptional
      isWorking={ending.isRunning}
      onConfirm={(reason) => void end(reason)}
      onClose={snapshot.close}
    />
  );
}
