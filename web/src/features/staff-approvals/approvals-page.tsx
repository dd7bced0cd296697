import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import { requestStatuses, type RequestStatus } from '@cellhop/contract/staff/lists.values';
import { SegmentedControl, Select, Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { toList } from '../../data/use-list.ts';
import { formatMoney, formatDate } from '../../format/format.ts';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { useProfile } from '../../session/profile.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { RowButton } from '../../ui/columns.tsx';
import { withTicker } from '../invoices/ticker.ts';
import { balanceChangeAction, balanceChangeWords } from '../staff-parts/amount-words.ts';
import { FilterPanel, OfUserNotice } from '../staff-parts/filter-panel.tsx';
import { RowReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { type SeenRow, useSeen } from '../staff-parts/use-seen.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { useDecide, useRequests } from './api.ts';
import classes from './approvals-page.module.css';
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
      <FilterPanel>
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

function DecisionDialog({ decided }: { decided: SeenRow<Decided> }) {
  const { t } = useTranslation('staffMoney');
  const decide = useDecide();
  const isApproved = decided.shown?.isApproved === true;
  const { amount = 0, user } = decided.shown?.request ?? {};
  const email = user?.email ?? '';

  return (
    <RowReasonDialog
      seen={decided}
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
      onConfirm={(decision, reason) => decide.run({ ...decision, reason })}
    />
  );
}

const tones: Record<RequestStatus, Tone> = {
  PENDING: 'warning',
  APPLIED: 'neutral',
  APPROVED: 'good',
  REJECTED: 'bad',
  LAPSED: 'neutral',
};

interface RequestsTableProps {
  requests: readonly StaffRequest[] | undefined;
  /** Undefined if the member of staff may only read. */
  onDecide: ((request: StaffRequest, isApproved: boolean) => void) | undefined;
}

function RequestsTable({ requests, onDecide }: RequestsTableProps) {
  const { t } = useTranslation(['staffMoney', 'staff', 'payment']);
  const columns: Column<StaffRequest>[] = [
    { key: 'user', header: t('staff:user'), place: 'heading', render: ({ user }) => <UserLink user={user} /> },
    {
      key: 'amount',
      header: t('approvals.amount'),
      isNumeric: true,
      place: 'heading',
      render: ({ amount, invoice }) => (
        <>
          <strong>{formatMoney(amount)}</strong>
          {invoice !== null && ` (${withTicker(invoice)})`}
        </>
      ),
    },
    { key: 'reason', header: t('staff:reason.label'), render: ({ reason }) => reason },
    { key: 'author', header: t('approvals.author'), render: ({ author }) => <UserLink user={author} /> },
    { key: 'createdAt', header: t('approvals.createdAt'), render: ({ createdAt }) => formatDate(createdAt) },
    {
      key: 'status',
      header: t('approvals.status'),
      place: 'heading',
      render: ({ status }) => <StatusBadge tone={tones[status]} text={t(`approvals.statuses.${status}`)} />,
    },
    { key: 'decision', header: t('approvals.decision'), render: (request) => <Decision request={request} /> },
  ];
  if (onDecide !== undefined)
    columns.push({
      key: 'action',
      header: t('approvals.action'),
      place: 'action',
      render: (request) => request.status === 'PENDING' && <Buttons request={request} onDecide={onDecide} />,
    });
  return <DataTable label={t('approvals.label')} columns={columns} rows={requests} rowKey={({ id }) => id} isDense />;
}

/** Author and reason of the decision, or the time limit for one. */
function Decision({ request: { status, lapsesAt, decidedBy, decisionReason } }: { request: StaffRequest }) {
  const { t } = useTranslation('staffMoney');
  if (status === 'PENDING' && lapsesAt !== null) return t('approvals.until', { date: formatDate(lapsesAt) });
  if (decidedBy === null) return '—';
  return (
    <>
      <UserLink user={decidedBy} />
      {decisionReason !== null && `: ${decisionReason}`}
    </>
  );
}

interface ButtonsProps {
  request: StaffRequest;
  onDecide: (request: StaffRequest, isApproved: boolean) => void;
}

/** Authors can only withdraw their requests. */
function Buttons({ request, onDecide }: ButtonsProps) {
  const { t } = useTranslation('staffMoney');
  const ownId = useProfile()?.id;
  const isOwn = request.author.id === ownId;
  const values = { amount: formatMoney(request.amount), email: request.user.email };
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {!isOwn && request.user.id !== ownId && (
        <Button size="compact-sm" aria-label={t('approvals.approveOf', values)} onClick={() => onDecide(request, true)}>
          {t('approvals.approve')}
        </Button>
      )}
      <RowButton
        text={t(isOwn ? 'approvals.withdraw' : 'approvals.reject')}
        label={t(isOwn ? 'approvals.withdrawOf' : 'approvals.rejectOf', values)}
        variant="default"
        onClick={() => onDecide(request, false)}
      />
    </Group>
  );
}
