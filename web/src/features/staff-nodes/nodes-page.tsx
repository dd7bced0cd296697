import type { GatewayNode } from '@cellhop/contract/staff/nodes';
import { useTranslation } from 'react-i18next';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { ReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useSeen } from '../staff-parts/use-seen.ts';
import { useDrainNode, useNodes } from './api.ts';
import { NodesTable } from './nodes-table.tsx';

export function NodesPage() {
  const { t } = useTranslation('staffInventory');
  const { response, failure } = useNodes();
  const canEdit = usePermission('NODES_EDIT');
  const { row: changing, shown, isOpen, open, close } = useSeen<GatewayNode>();
  const drain = useDrainNode();
  const texts = shown?.isDraining === true ? 'undrain' : 'drain';

  async function confirm(reason: string | undefined): Promise<void> {
    if (changing === undefined) return;
    await drain.run({ node: changing, reason });
    close();
  }

  if (failure !== undefined) return <LoadFailure text={t('nodes.failed')} {...failure} />;
  return (
    <>
      {response?.data.length === 0 ? (
        <EmptyList text={t('nodes.empty')} />
      ) : (
        <NodesTable nodes={response?.data} onDrain={canEdit ? open : undefined} />
      )}
      <ReasonDialog
        isOpen={isOpen}
        title={t(`${texts}.title`, { name: shown?.name ?? '' })}
        text={t(`${texts}.text`)}
        action={t(`${texts}.action`)}
        isOptional
        isWorking={drain.isRunning}
        onConfirm={(reason) => void confirm(reason)}
        onClose={close}
      />
    </>
  );
}
