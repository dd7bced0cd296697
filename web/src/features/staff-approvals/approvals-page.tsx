import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import { requestStatuses } from '@cellhop/contract/staff/approvals.values';
import { SegmentedControl, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { toList } from '../../data/use-list.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { balanceChangeAction, balanceChangeWords } from '../staff-parts/amount-words.ts';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { OfUserNotice } from '../staff-parts/of-user-notice.tsx';
import { ReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { type SeenRow, useSeen } from '../staff-parts/use-seen.ts';
import { useDecide, useRequests } from './api.ts';
import classes from './approvals-page.module.css';
import { RequestsTable } from './requests-table.tsx';
import { type RequestKind, requestKinds, staffApprovalsScreen } from './screen.ts';

export function ApprovalsPage() {
  const [search, change] = useScreenSearch(staffApprovalsScreen);
  const { t } = useTranslation('staffMoney');
  const kinds = useReadableKinds();
  const kind = search.kind !== undefined && kinds.includes(search.kind) ? search.kind : (kinds[0] ?? 'ADJUSTMENT');
  const requests = useRequests(kind, search);
  const canDecide = usePermission(kind === 'ADJUSTMENT' ? 'TRANSACTIONS_WRITE' : 'PAYMENTS_EDIT');
  const decided = useSeen<Decided>();
  const pendingCount = requests.response?.pendingCount ?? 0;
  return (
    <>
      <OfUserNotice userId={search.userId} />
      {kinds.length > 1 && (
        <SegmentedControl
          mb="lg"
          aria-label={t('approvals.kind')}
          data={kinds.map((value) => ({ value, label: t(`approvals.kinds.${value}`) }))}
          value={kind}
          onChange={(value) => change({ kind: oneOf(value, requestKinds), page: undefined })}
        />
      )}
      <FilterPanel onReset={undefined}>
        <Select
          label={t('approvals.status')}
          placeholder={t('approvals.all')}
          data={requestStatuses.map((value) => ({ value, label: t(`approvals.statuses.${value}`) }))}
          value={search.status ?? null}
          clearable
          onChange={(value) => change({ status: oneOf(value, requestStatuses), page: undefined })}
        />
      </FilterPanel>
      <output className={classes['pending']}>{t('approvals.pending', { count: pendingCount })}</output>
      <PagedList
        list={toList(requests)}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        failureText={t('approvals.failed')}
        empty={<EmptyList text={t('approvals.empty')} />}
      >
        {(rows) => (
          <RequestsTable
            requests={rows}
            onDecide={canDecide ? (request, isApproved) => decided.open({ request, isApproved }) : undefined}
          />
        )}
      </PagedList>
      <DecisionDialog decided={decided} />
    </>
  );
}

/** Each kind has a permission of its own. */
function useReadableKinds(): RequestKind[] {
  const canReadTransactions = usePermission('TRANSACTIONS_READ');
  const canReadPayments = usePermission('PAYMENTS_READ');
  return requestKinds.filter((kind) => (kind === 'ADJUSTMENT' ? canReadTransactions : canReadPayments));
}

interface Decided {
  request: StaffRequest;
  isApproved: boolean;
}

function DecisionDialog({ decided: { row, shown, isOpen, close } }: { decided: SeenRow<Decided> }) {
  const { t } = useTranslation('staffMoney');
  const decide = useDecide();
  const isApproved = shown?.isApproved === true;
  const { amount = 0, user } = shown?.request ?? {};
  const email = user?.email ?? '';

  async function confirm(reason: string | undefined): Promise<void> {
    if (row === undefined) return;
    await decide.run({ ...row, reason });
    close();
  }

  return (
    <ReasonDialog
      isOpen={isOpen}
      title={t(isApproved ? 'approvals.approveTitle' : 'approvals.rejectTitle')}
      text={
        isApproved
          ? balanceChangeWords(amount, email, t)
          : t('approvals.rejectText', { amount: formatMoney(amount), email })
      }
      action={isApproved ? `${t('approvals.approve')}: ${balanceChangeAction(amount, t)}` : t('approvals.reject')}
      isDangerous={!isApproved}
      isOptional={isApproved}
      isWorking={decide.isRunning}
      onConfirm={(reason) => void confirm(reason)}
      onClose={close}
    />
  );
}
