import { useTranslation } from 'react-i18next';
import { EmptyList } from '../../ui/list-state.tsx';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { OfUserNotice } from '../staff-parts/of-user-notice.tsx';
import { useAuditLog } from './api.ts';
import { AuditLogFilter } from './audit-log-filter.tsx';
import { EntriesTable } from './entries-table.tsx';
import type { StaffAuditLogSearch } from './screen.ts';

interface AuditLogPageProps {
  search: StaffAuditLogSearch;
  onSearch: (change: Partial<StaffAuditLogSearch>) => void;
}

export function AuditLogPage({ search, onSearch }: AuditLogPageProps) {
  const { t } = useTranslation('staffSystem');
  const entries = useAuditLog(search);
  return (
    <>
      <OfUserNotice userId={search.userId} />
      <AuditLogFilter search={search} onChange={(change) => onSearch({ ...change, page: undefined })} />
      <ContinuedList
        list={entries}
        page={search.page ?? 1}
        onPage={(page) => onSearch({ page })}
        moments={search}
        onMoments={(moments) => onSearch({ ...moments, page: undefined })}
        order="NEWEST_FIRST"
        failureText={t('log.failed')}
        empty={<EmptyList text={t('log.empty')} />}
      >
        {(rows) => <EntriesTable entries={rows} />}
      </ContinuedList>
    </>
  );
}
