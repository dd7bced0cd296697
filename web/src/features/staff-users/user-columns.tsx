import type { ListedUser } from '@cellhop/contract/staff/users';
import { useTranslation } from 'react-i18next';
import { formatBalance, maxDecimals } from '../../format/money.ts';
import { ColumnMoney } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { UserStatusBadge } from './user-badges.tsx';

/** Status and balance, in each list of users. */
export function useUserColumns(users: readonly ListedUser[] | undefined): Column<ListedUser>[] {
  const { t } = useTranslation('staffUsers');
  const decimals = maxDecimals(
    (users ?? []).map(({ balance }) => balance),
    formatBalance,
  );
  return [
    {
      key: 'status',
      width: 7.5,
      header: t('fields.status'),
      place: 'heading',
      render: ({ status }) => <UserStatusBadge status={status} />,
    },
    {
      key: 'balance',
      place: 'line',
      width: 7,
      header: t('fields.balance'),
      isNumeric: true,
      render: ({ balance }) => <ColumnMoney dollars={balance} format={formatBalance} decimals={decimals} />,
    },
  ];
}
