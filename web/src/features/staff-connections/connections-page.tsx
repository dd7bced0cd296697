import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { connectionSorts } from '@cellhop/contract/staff/connections.values';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { toTimeOrder } from '../staff-parts/continuation.ts';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { OfUserNotice } from '../staff-parts/of-user-notice.tsx';
import { ReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useSeen } from '../staff-parts/use-seen.ts';
import { staffConnectionsScreen, type StaffConnectionsSearch } from './screen.ts';
import { useConnectionsOfUsers, useEndConnection } from './api.ts';
import { ConnectionsFilter } from './connections-filter.tsx';
import { ConnectionsTable } from './connections-table.tsx';

export function ConnectionsPage() {
  const [search, changeSearch] = useScreenSearch(staffConnectionsScreen);
  const change = (changed: StaffConnectionsSearch) => changeSearch(changed, { resetScroll: false });
  const { t } = useTranslation('staffConnections');
  const connections = useConnectionsOfUsers(search);
  const canEnd = usePermission('CONNECTIONS_EDIT');
  const { row: ending, shown, isOpen, open, close } = useSeen<StaffConnection>();
  const end = useEndConnection();

  async function confirm(reason: string | undefined): Promise<void> {
    if (ending === undefined) return;
    if ((await end.run({ connection: ending, reason })) !== undefined) close();
  }

  return (
    <>
      <OfUserNotice userId={search.userId} />
      <ConnectionsFilter search={search} onChange={(filter) => change({ ...filter, page: undefined })} />
      <ContinuedList
        list={connections}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        moments={search}
        onMoments={(moments) => change({ ...moments, page: undefined })}
        order={toTimeOrder(search.sort ?? connectionSorts[0])}
        failureText={t('table.failed')}
        empty={<EmptyList text={t('table.empty')} />}
      >
        {(rows) => (
          <ConnectionsTable
            connections={rows}
            sort={search.sort ?? connectionSorts[0]}
            onSort={(sort) => change({ sort: oneOf(sort, connectionSorts), page: undefined })}
            onEnd={canEnd ? open : undefined}
          />
        )}
      </ContinuedList>
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
    </>
  );
}
