import type { GatewayNode } from '@cellhop/contract/staff/nodes';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLastDefined } from '../../lib/use-last-defined.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { ReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useDrainNode, useNodes } from './api.ts';
import { NodesTable } from './nodes-table.tsx';

export function NodesPage() {
  const { t } = useTranslation('staffInventory');
  const { response, failure } = useNodes();
  const canEdit = usePermission('NODES_EDIT');
  const [changing, setChanging] = useState<GatewayNode>();
  const shown = useLastDefined(changing);
  const drain = useDrainNode();
  const texts = shown?.isDraining === true ? 'undrain' : 'drain';

  async function confirm(reason: string | undefined): Promise<void> {
    if (changing === undefined) return;
    await drain.run({ node: changing, reason });
    // Also after a refusal: the list then shows what a colleague has changed.
    setChanging(undefined);
  }

  if (failure !== undefined) return <LoadFailure text={t('nodes.failed')} {...failure} />;
  return (
    <>
      {response?.data.length === 0 ? (
        <EmptyList text={t('nodes.empty')} />
      ) : (
        <NodesTable nodes={response?.data} onDrain={canEdit ? setChanging : undefined} />
      )}
      <ReasonDialog
        isOpen={changing !== undefined}
        title={t(`${texts}.title`, { name: shown?.name ?? '' })}
        text={t(`${texts}.text`)}
        action={t(`${texts}.action`)}
        isOptional
        isWorking={drain.isRunning}
        onConfirm={(reason) => void confirm(reason)}
        onClose={() => setChanging(undefined)}
      />
    </>
  );
}
