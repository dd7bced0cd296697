import type { UsageConnection, UsageSort } from '@cellhop/contract/usage';
import { usageSorts } from '@cellhop/contract/usage.values';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate, formatTraffic } from '../../format/format.ts';
import { maxDecimals } from '../../format/money.ts';
import { ColumnMoney, countryColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import classes from './usage-connections.module.css';

interface UsageConnectionsProps {
  connections: readonly UsageConnection[] | undefined;
  chosenId: string | undefined;
  sort: UsageSort | undefined;
  onChoose: (id: string | undefined) => void;
  onSort: (sort: string) => void;
}

export function UsageConnections(props: UsageConnectionsProps) {
  const { t } = useTranslation(['usage', 'proxyConnection']);
  return (
    <section className={classes['section']}>
      <h2>{t('perConnection')}</h2>
      {props.connections?.length === 0 ? <EmptyList text={t('empty')} /> : <UsageTable {...props} />}
    </section>
  );
}

function UsageTable({ connections, chosenId, sort, onChoose, onSort }: UsageConnectionsProps) {
  const { t } = useTranslation(['usage', 'proxyConnection', 'common']);
  const decimals = maxDecimals((connections ?? []).map(({ spent }) => spent));
  const columns: Column<UsageConnection>[] = [
    {
      key: 'ip',
      width: 7.5,
      header: t('common:location.ip'),
      isUnbroken: true,
      place: 'heading',
      render: ({ ip }) => ip,
    },
    { ...countryColumn(t('common:location.country')), width: 4, place: 'line' },
    {
      key: 'createdAt',
      place: 'line',
      width: 7.3,
      header: t('proxyConnection:detail.createdAt'),
      firstOrder: 'descending',
      render: ({ createdAt }) => formatDate(createdAt),
    },
    {
      key: 'trafficUsed',
      place: 'line',
      width: 6.8,
      header: t('proxyConnection:table.trafficUsed'),
      firstOrder: 'descending',
      isNumeric: true,
      render: ({ trafficUsed }) => formatTraffic(trafficUsed),
    },
    {
      key: 'spent',
      width: 7,
      header: t('spent'),
      firstOrder: 'descending',
      isNumeric: true,
      place: 'heading',
      render: ({ spent }) => <ColumnMoney dollars={spent} decimals={decimals} />,
    },
    {
      key: 'action',
      width: 8.65,
      header: t('proxyConnection:table.action'),
      place: 'action',
      render: ({ id, ip }) => (
        <ShowButton ip={ip} isPressed={id === chosenId} onClick={() => onChoose(id === chosenId ? undefined : id)} />
      ),
    },
  ];
  return (
    <DataTable
      label={t('perConnection')}
      columns={columns}
      rows={connections}
      rowKey={({ id }) => id}
      sort={sort ?? usageSorts[0]}
      onSort={onSort}
    />
  );
}

interface ShowButtonProps {
  ip: string;
  isPressed: boolean;
  onClick: () => void;
}

/** Limits the charts to one connection, or shows all of them again. */
function ShowButton({ ip, isPressed, onClick }: ShowButtonProps) {
  const { t } = useTranslation(['usage', 'proxyConnection']);
  return (
    <Button
      size="compact-sm"
      variant={isPressed ? 'light' : 'default'}
      aria-pressed={isPressed}
      aria-label={t('showOf', { ip })}
      onClick={onClick}
    >
      {t('show')}
    </Button>
  );
}
