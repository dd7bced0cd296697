import type { BlockedUser, ListedUser } from '@cellhop/contract/staff/users';
import { useTranslation } from 'react-i18next';
import { formatBalance } from '../../format/money.ts';
import { BulkDialog } from '../staff-parts/bulk-dialog.tsx';
import type { RowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { useBlockUsers } from './api.ts';

interface BlockUsersDialogProps {
  /** The users as they were when the dialog opened. */
  snapshot: RowSnapshot<readonly ListedUser[]>;
  onBlocked: () => void;
}

/** Blocks several users for one reason, after their balances have been seen. */
export function BlockUsersDialog({ snapshot, onBlocked }: BlockUsersDialogProps) {
  const { t } = useTranslation('staffUsers');
  const blocking = useBlockUsers();
  const users = snapshot.shown ?? [];

  function close(): void {
    snapshot.close();
    blocking.reset();
  }

  async function block(reason: string): Promise<void> {
    const results = await blocking.run({ userIds: users.map(({ id }) => id), reason });
    if (results === undefined) return;
    onBlocked();
    if (results.every(({ refusal }) => refusal === null)) close();
  }

  const refusalOf = (id: string) => {
    const refusal = findResult(blocking.result, id)?.refusal ?? null;
    return refusal === null ? undefined : t(`blockSelected.refusals.${refusal}`);
  };
  return (
    <BulkDialog
      isOpen={snapshot.isOpen}
      title={t('blockSelected.title', { count: users.length })}
      text={t('block.text')}
      items={users.map(({ id, email, balance }) => ({
        key: id,
        name: email,
        detail: formatBalance(balance),
        refusal: refusalOf(id),
      }))}
      action={t('blockSelected.actionOf', { count: users.length })}
      isDangerous
      isWorking={blocking.isRunning}
      onConfirm={(reason = '') => void block(reason)}
      onClose={close}
    />
  );
}

function findResult(results: readonly BlockedUser[] | undefined, id: string): BlockedUser | undefined {
  return results?.find(({ userId }) => userId === id);
}
