import { useTranslation } from 'react-i18next';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { OfUserNotice } from '../staff-parts/of-user-notice.tsx';
import { useAuditLog } from './api.ts';
import { AuditLogFilter } from './audit-log-filter.tsx';
import { EntriesTable } from './entries-table.tsx';
import { staffAuditLogScreen } from './screen.ts';

export function AuditLogPage() {
  const [search, change] = useScreenSearch(staffAuditLogScreen);
  const { t } = useTranslation('staffSystem');
  const entries = useAuditLog(search);
  return (
    <>
      <OfUserNotice userId={search.userId} />
      <AuditLogFilter search={search} onChange={(filter) => change({ ...filter, page: undefined })} />
      <ContinuedList
        list={entries}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        moments={search}
        onMoments={(moments) => change({ ...moments, page: undefined })}
        order="NEWEST_FIRST"
        failureText={t('log.failed')}
        empty={<EmptyList text={t('log.empty')} />}
      >
        {(rows) => <EntriesTable entries={rows} />}
      </ContinuedList>
    </>
  );
}
