import type { StaffTicket } from '@cellhop/contract/staff/tickets';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { TicketStatusBadge } from '../tickets/ticket-status-badge.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';

export function TicketsTable({ tickets }: { tickets: readonly StaffTicket[] | undefined }) {
  const { t } = useTranslation(['staffSupport', 'staff']);
  const columns: Column<StaffTicket>[] = [
    {
      key: 'name',
      header: t('list.name'),
      place: 'heading',
      render: ({ id, name }) => (
        <Link to="/admin/tickets/$ticketId" params={{ ticketId: id }} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Link>
      ),
    },
    {
      key: 'status',
      header: t('list.status'),
      place: 'heading',
      render: ({ status }) => <TicketStatusBadge status={status} />,
    },
    { key: 'user', header: t('staff:user'), render: ({ user }) => <UserLink user={user} /> },
    { key: 'assignee', header: t('list.assignee'), render: ({ assignee }) => assignee?.email ?? t('list.nobody') },
    {
      key: 'waitingSince',
      header: t('list.waitingSince'),
      render: ({ waitingSince }) =>
        waitingSince === null ? '–' : <time dateTime={waitingSince}>{formatDate(waitingSince)}</time>,
    },
    {
      key: 'createdAt',
      header: t('list.createdAt'),
      render: ({ createdAt }) => <time dateTime={createdAt}>{formatDate(createdAt)}</time>,
    },
  ];
  return <DataTable label={t('list.label')} columns={columns} rows={tickets} rowKey={({ id }) => id} isDense />;
}
