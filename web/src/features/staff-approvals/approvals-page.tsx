import type { Permission } from '@cellhop/contract/permissions';
import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import { type RequestList, requestStatuses, type RequestStatus } from '@cellhop/contract/staff/lists.values';
import { Select, Button, Group } from '@mantine/core';
import type { TFunction } from 'i18next';
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
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { RowReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { type RowSnapshot, useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { OfUserNotice } from '../staff-parts/user-tabs.tsx';
import { useDecide, useRequests } from './api.ts';
import classes from './approvals-page.module.css';
import { listsOfRequests, staffApprovalsScreen } from './screen.ts';

export function ApprovalsPage() {
  const [search, change] = useScreenSearch(staffApprovalsScreen);
  const { t } = useTranslation('staffMoney');
  const kinds = useReadableKinds();
  const kind = search.kind !== undefined && kinds.includes(search.kind) ? search.kind : (kinds[0] ?? 'ADJUSTMENT');
  const requests = useRequests(kind, search);
  const canDecide = usePermission(writePermissions[kind]);
  const decided = useRowSnapshot<Decided>();
  const pendingCount = requests.response?.pendingCount;
  return (
    <>
      <OfUserNotice userId={search.userId} />
      <FilterPanel>
        {kinds.length > 1 && (
          <Select
            label={t('approvals.kind')}
            data={kinds.map((value) => ({ value, label: t(`approvals.kinds.${value}`) }))}
            value={kind}
            allowDeselect={false}
            onChange={(value) => change({ kind: oneOf(value, listsOfRequests), page: undefined })}
          />
        )}
        <Select
          label={t('approvals.status')}
          placeholder={t('approvals.all')}
          data={requestStatuses.map((value) => ({ value, label: t(`approvals.statuses.${value}`) }))}
          value={search.status ?? null}
          clearable
          onChange={(value) => change({ status: oneOf(value, requestStatuses), page: undefined })}
        />
      </FilterPanel>
      <output className={classes['pending']}>
        {pendingCount === undefined ? '…' : t('approvals.pending', { count: pendingCount })}
      </output>
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
            onDecide={
              canDecide ? (request, isApproved) => decided.open({ list: kind, request, isApproved }) : undefined
            }
          />
        )}
      </PagedList>
      <DecisionDialog decided={decided} />
    </>
  );
}

const writePermissions = {
  ADJUSTMENT: 'TRANSACTIONS_WRITE',
  SETTLEMENT: 'PAYMENTS_EDIT',
  PROMO_CODE: 'PROMO_CODES_WRITE',
} as const satisfies Record<RequestList, Permission>;

/** Each list has a permission of its own. */
function useReadableKinds(): RequestList[] {
  const canRead: Record<RequestList, boolean> = {
    ADJUSTMENT: usePermission('TRANSACTIONS_READ'),
    SETTLEMENT: usePermission('PAYMENTS_READ'),
    PROMO_CODE: usePermission('PROMO_CODES_READ'),
  };
  return listsOfRequests.filter((list) => canRead[list]);
}

interface Decided {
  list: RequestList;
  request: StaffRequest;
  isApproved: boolean;
}

function DecisionDialog({ decided }: { decided: RowSnapshot<Decided> }) {
  const { t } = useTranslation('staffMoney');
  const decide = useDecide();
  const isApproved = decided.shown?.isApproved === true;
  const { amount = 0, user, promoCode } = decided.shown?.request ?? {};
  const email = user?.email ?? '';
  const words = useWords(decided.shown?.request);

  return (
    <RowReasonDialog
      snapshot={decided}
      title={t(isApproved ? 'approvals.approveTitle' : 'approvals.rejectTitle')}
      text={
        isApproved
          ? words
          : promoCode
            ? t('approvals.rejectPromoCode', { code: promoCode.code })
            : t('approvals.rejectText', { amount: formatMoney(amount), email })
      }
      action={approvalAction(isApproved, decided.shown?.request, t)}
      isDangerous={!isApproved}
      isOptional={isApproved}
      isWorking={decide.isRunning}
      onConfirm={(decision, reason) => decide.run({ ...decision, reason })}
    />
  );
}

/** What an approval does. */
function useWords(request: StaffRequest | undefined): string {
  const { t } = useTranslation('staffMoney');
  if (request === undefined) return '';
  const { kind, promoCode, connection, amount, user } = request;
  if (kind === 'RELEASE') return t('approvals.releaseWords', { amount: formatMoney(amount), email: user.email });
  if (kind === 'ASSIGNMENT') return t('approvals.assignWords', { amount: formatMoney(amount), email: user.email });
  if (connection)
    return t('approvals.refundWords', { amount: formatMoney(amount), ip: connection.ip, email: user.email });
  if (!promoCode) return balanceChangeWords(amount, user.email, t);
  return t('approvals.promoCodeWords', {
    code: promoCode.code,
    credit: formatMoney(promoCode.trialCredit),
    total: formatMoney(amount),
    email: user.email,
  });
}

function approvalAction(isApproved: boolean, request: StaffRequest | undefined, t: TFunction<'staffMoney'>): string {
  if (!isApproved) return t('approvals.reject');
  if (request?.promoCode || request?.kind === 'RELEASE') return t('approvals.approve');
  const action = balanceChangeAction(request?.amount ?? 0, t);
  return `${t('approvals.approve')}: ${action.charAt(0).toLowerCase()}${action.slice(1)}`;
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
      render: ({ kind, amount, invoice, promoCode, connection }) => (
        <>
          <strong>{formatMoney(amount)}</strong>
          {invoice !== null && ` (${withTicker(invoice)})`}
          {promoCode && ` (${promoCode.code})`}
          {connection && ` (${connection.ip})`}
          {kind === 'RELEASE' && ` (${t('approvals.release')})`}
          {kind === 'ASSIGNMENT' && ` (${t('approvals.assignment')})`}
        </>
      ),
    },
    {
      key: 'reason',
      header: t('staff:reason.label'),
      place: 'line',
      render: ({ reason }) => <span className={classes['reason']}>{reason}</span>,
    },
    { key: 'author', header: t('approvals.author'), place: 'fact', render: ({ author }) => <UserLink user={author} /> },
    {
      key: 'createdAt',
      header: t('approvals.createdAt'),
      place: 'line',
      render: ({ createdAt }) => formatDate(createdAt),
    },
    {
      key: 'status',
      header: t('approvals.status'),
      place: 'heading',
      render: ({ status }) => <StatusBadge tone={tones[status]} text={t(`approvals.statuses.${status}`)} />,
    },
    {
      key: 'decision',
      header: t('approvals.decision'),
      place: 'fact',
      render: (request) => <Decision request={request} />,
    },
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
      {request.isOthers && (
        <Button size="compact-sm" aria-label={t('approvals.approveOf', values)} onClick={() => onDecide(request, true)}>
          {t('approvals.approve')}
        </Button>
      )}
      <RowButton
        text={t(isOwn ? 'approvals.withdraw' : 'approvals.reject')}
        label={t(isOwn ? 'approvals.withdrawOf' : 'approvals.rejectOf', values)}
        isDestructive
        onClick={() => onDecide(request, false)}
      />
    </Group>
  );
}
