import type { ListedUser } from '@cellhop/contract/staff/users';
import { userSorts } from '@cellhop/contract/staff/users.values';
import { VisuallyHidden } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatDate, maxDecimals } from '../../format/format.ts';
import { ColumnMoney } from '../../ui/column-money.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { UserStatusBadge } from './user-badges.tsx';
import classes from './users-table.module.css';

interface UsersTableProps {
  users: readonly ListedUser[] | undefined;
  sort: string | undefined;
  onSort: (sort: string) => void;
}

export function UsersTable({ users, sort = userSorts[0], onSort }: UsersTableProps) {
  const { t } = useTranslation(['staffUsers', 'referralSystem']);
  const decimals = maxDecimals((users ?? []).map(({ balance }) => balance));
  const columns: Column<ListedUser>[] = [
    {
      key: 'email',
      width: 17,
      header: t('fields.email'),
      place: 'heading',
      firstOrder: 'ascending',
      render: (user) => <EmailLink user={user} />,
    },
    {
      key: 'status',
      width: 7.5,
      header: t('fields.status'),
      place: 'heading',
      render: ({ status }) => <UserStatusBadge status={status} />,
    },
    {
      key: 'balance',
      width: 7,
      header: t('fields.balance'),
      isNumeric: true,
      render: ({ balance }) => <ColumnMoney dollars={balance} decimals={decimals} />,
    },
    {
      key: 'referralLevel',
      width: 6.5,
      header: t('fields.referralLevel'),
      render: ({ referralLevel }) => t(`referralSystem:names.${referralLevel}`),
    },
    { key: 'role', width: 7, header: t('fields.role'), render: ({ role }) => role.name },
    {
      key: 'createdAt',
      width: 8,
      header: t('fields.createdAt'),
      firstOrder: 'descending',
      render: ({ createdAt }) => <time dateTime={createdAt}>{formatDate(createdAt)}</time>,
    },
  ];
  return (
    <DataTable
      label={t('list.label')}
      columns={columns}
      rows={users}
      rowKey={({ id }) => id}
      sort={sort}
      onSort={onSort}
    />
  );
}

/** The link covers the whole row. */
function EmailLink({ user: { id, email, isConfirmedEmail } }: { user: ListedUser }) {
  const { t } = useTranslation('staffUsers');
  const Icon = isConfirmedEmail ? IconCircleCheck : IconCircleDashed;
  return (
    <Link
      to="/admin/users/$userId"
      params={{ userId: id }}
      className={classes['email']}
      data-confirmed={isConfirmedEmail}
    >
      <Icon size={16} stroke={1.8} aria-hidden="true" className={classes['icon']} />
      {email}
      <VisuallyHidden>, {t(isConfirmedEmail ? 'email.confirmed' : 'email.unconfirmed')}</VisuallyHidden>
    </Link>
  );
}
