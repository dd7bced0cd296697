import type { InventoryProxy } from '@cellhop/contract/staff/inventory';
import { useTranslation } from 'react-i18next';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { BudgetDialog } from '../staff-parts/budget-dialog.tsx';
import { exitTraffic, useChangeExitTraffic } from './api.ts';

interface ExitBudgetDialogProps {
  /** Undefined: closed. */
  proxy: InventoryProxy | undefined;
  onClose: () => void;
}

/** How much traffic the exit of a proxy shall carry in a month. */
export function ExitBudgetDialog({ proxy: shown, onClose }: ExitBudgetDialogProps) {
  const { t } = useTranslation('staffInventory');
  const proxy = useLastDefined(shown);
  const changing = useChangeExitTraffic();
  return (
    <BudgetDialog
      isOpen={shown !== undefined}
      title={t('budget.title', { name: proxy?.ip ?? '' })}
      query={exitTraffic(proxy?.exit.id ?? '')}
      isWorking={changing.isRunning}
      onSave={(body) => proxy && void changing.run({ id: proxy.exit.id, body }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
