import type { RequestStatus } from '@cellhop/contract/staff/approvals.values';
import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../format/format.ts';
import { useProfile } from '../../session/profile.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { withTicker } from '../invoices/ticker.ts';
import { UserLink } from '../staff-parts/user-link.tsx';

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

export function RequestsTable({ requests, onDecide }: RequestsTableProps) {
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
      isLast: true,
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
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t(isOwn ? 'approvals.withdrawOf' : 'approvals.rejectOf', values)}
        onClick={() => onDecide(request, false)}
      >
        {t(isOwn ? 'approvals.withdraw' : 'approvals.reject')}
      </Button>
    </Group>
  );
}
