import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMegabytes, maxDecimals } from '../../format/format.ts';
import { ColumnMoney } from '../../ui/column-money.tsx';
import { CountryFlag } from '../../ui/country-flag.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ConnectionStatusBadge } from '../connections/connection-status-badge.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';

interface ConnectionsTableProps {
  connections: readonly StaffConnection[] | undefined;
  sort: string;
  onSort: (sort: string) => void;
  /** Undefined if the member of staff may not end connections. */
  onEnd: ((connection: StaffConnection) => void) | undefined;
}

export function ConnectionsTable({ connections, sort, onSort, onEnd }: ConnectionsTableProps) {
  const { t } = useTranslation(['staffConnections', 'staff', 'proxyConnection', 'common']);
  const columns: Column<StaffConnection>[] = [
    { key: 'user', header: t('staff:user'), place: 'heading', render: ({ user }) => <UserLink user={user} /> },
    { key: 'ip', header: t('common:location.ip'), isUnbroken: true, place: 'heading', render: ({ ip }) => ip },
    {
      key: 'country',
      header: t('common:location.country'),
      render: ({ countryCode }) => <CountryFlag code={countryCode} />,
      renderInCard: ({ countryCode }) => <CountryFlag code={countryCode} hasName />,
    },
    { key: 'city', header: t('common:location.city'), render: ({ city }) => city },
    ...useBillColumns(connections),
    {
      key: 'createdAt',
      firstOrder: 'descending',
      header: t('proxyConnection:detail.createdAt'),
      render: ({ createdAt }) => <time dateTime={createdAt}>{formatDate(createdAt)}</time>,
    },
  ];
  if (onEnd !== undefined)
    columns.push({
      key: 'action',
      header: t('proxyConnection:table.action'),
      place: 'action',
      isLast: true,
      render: (connection) =>
        connection.status === 'WORK' && (
          <Button
            size="compact-sm"
            variant="light"
            aria-label={t('proxyConnection:table.disconnectOf', { ip: connection.ip })}
            onClick={() => onEnd(connection)}
          >
            {t('proxyConnection:table.disconnect')}
          </Button>
        ),
    });
  return (
    <DataTable
      label={t('table.label')}
      columns={columns}
      rows={connections}
      rowKey={({ id }) => id}
      sort={sort}
      onSort={onSort}
      isDense
    />
  );
}

function useBillColumns(connections: readonly StaffConnection[] | undefined): Column<StaffConnection>[] {
  const { t } = useTranslation(['proxyConnection', 'staffConnections', 'common']);
  const decimals = maxDecimals((connections ?? []).map(({ paidFor }) => paidFor));
  return [
    {
      key: 'paidFor',
      header: t('table.paidFor'),
      isNumeric: true,
      render: ({ paidFor }) => <ColumnMoney dollars={paidFor} decimals={decimals} />,
    },
    {
      key: 'trafficUsed',
      header: t('table.trafficUsed'),
      isNumeric: true,
      render: ({ trafficUsed }) => t('common:megabytes', { value: formatMegabytes(trafficUsed) }),
    },
    {
      key: 'status',
      header: t('table.status'),
      place: 'heading',
      render: ({ status }) => <ConnectionStatusBadge status={status} text={t(`staffConnections:statuses.${status}`)} />,
    },
    {
      key: 'refundStatus',
      header: t('table.refundStatus'),
      render: ({ refundStatus }) => t(`refundStatuses.${refundStatus}`),
    },
  ];
}
