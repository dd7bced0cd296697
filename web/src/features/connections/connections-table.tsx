import type { Connection } from '@cellhop/contract/connections';
import { ActionIcon, Button } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatTraffic } from '../../format/format.ts';
import { maxDecimals } from '../../format/money.ts';
import { ColumnMoney, countryColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { CountryFlag } from '../../ui/country-flag.tsx';
import { destructive } from '../../ui/destructive.ts';
import { Money } from '../../ui/money.tsx';
import { isLive } from './api.ts';
import { ConnectionStatusBadge } from './connection-status-badge.tsx';
import classes from './connections-table.module.css';

export interface ConnectionsTableProps {
  connections: readonly Connection[] | undefined;
  /** The connection that is being disconnected. */
  endingId: string | undefined;
  onShow: (connection: Connection) => void;
  onDisconnect: (connection: Connection) => void;
}

/** The button of a row that remains after the connection has ended. */
export function focusInfo(connectionId: string): void {
  document.getElementById(infoId(connectionId))?.focus({ preventScroll: true });
}

function infoId(connectionId: string): string {
  return `info-${connectionId}`;
}

export function ConnectionsTable({ connections, endingId, onShow, onDisconnect }: ConnectionsTableProps) {
  const { t } = useTranslation(['proxyConnection', 'common']);
  const columns: Column<Connection>[] = [
    {
      key: 'info',
      width: 3.6,
      header: t('table.info'),
      render: (connection) => <InfoButton connection={connection} onClick={() => onShow(connection)} />,
    },
    ...useLocationColumns(),
    ...useBillColumns(connections),
  ];
  // Open connections are mostly cards above the list, which is then without a button in any row.
  if (connections?.some(isLive) === true)
    columns.push({
      key: 'action',
      width: 8,
      header: t('table.action'),
      place: 'action',
      render: (connection) =>
        isLive(connection) && (
          <DisconnectButton
            connection={connection}
            isLoading={endingId === connection.id}
            onClick={() => onDisconnect(connection)}
          />
        ),
    });
  return (
    <DataTable
      label={t('table.label')}
      columns={columns}
      rows={connections}
      rowKey={({ id }) => id}
      isDense
      renderCard={renderCard}
    />
  );
}

const renderCard = (connection: Connection, columns: readonly Column<Connection>[]) => (
  <ConnectionCard connection={connection} columns={columns} />
);

interface ConnectionCardProps {
  connection: Connection;
  /** The columns of the table, for the cells that table and card share. */
  columns: readonly Column<Connection>[];
}

/** A connection on a phone, in two lines: what it is, and what it has cost. */
function ConnectionCard({ connection, columns }: ConnectionCardProps) {
  const { ip, label, countryCode, city, trafficUsed, paidFor, createdAt } = connection;
  const cell = (key: string) => columns.find((column) => column.key === key)?.render(connection);
  return (
    <div className={classes['card']}>
      <p className={classes['address']}>
        <CountryFlag code={countryCode} />
        <span>{ip}</span>
      </p>
      <Money dollars={paidFor} />
      {cell('info')}
      <p className={classes['about']}>
        {cell('status')} <bdi>{label === '' ? city : label}</bdi> · {formatTraffic(trafficUsed)} ·{' '}
        {formatDate(createdAt)}
      </p>
      {isLive(connection) && cell('action')}
    </div>
  );
}

function useLocationColumns(): Column<Connection>[] {
  const { t } = useTranslation('common');
  return [
    {
      key: 'ip',
      width: 8.7,
      header: t('location.ip'),
      isUnbroken: true,
      render: (connection) => <Address connection={connection} />,
    },
    { ...countryColumn(t('location.country')), width: 4.6 },
    { key: 'city', width: 7, header: t('location.city'), render: ({ city }) => city },
  ];
}

/** What a connection costs, and how it has ended. */
function useBillColumns(connections: readonly Connection[] | undefined): Column<Connection>[] {
  const { t } = useTranslation('proxyConnection');
  const decimals = maxDecimals((connections ?? []).map(({ paidFor }) => paidFor));
  return [
    {
      key: 'paidFor',
      width: 5,
      header: t('table.paidFor'),
      isNumeric: true,
      render: ({ paidFor }) => <ColumnMoney dollars={paidFor} decimals={decimals} />,
    },
    {
      key: 'trafficUsed',
      width: 5.6,
      header: t('table.trafficUsed'),
      isNumeric: true,
      render: ({ trafficUsed }) => formatTraffic(trafficUsed),
    },
    {
      key: 'status',
      width: 11,
      header: t('table.status'),
      render: ({ status }) => <ConnectionStatusBadge status={status} />,
    },
    {
      key: 'refundStatus',
      width: 6,
      header: t('table.refundStatus'),
      render: ({ refundStatus }) => t(`refundStatuses.${refundStatus}`),
    },
    {
      key: 'createdAt',
      width: 8.1,
      header: t('detail.createdAt'),
      render: ({ createdAt }) => <span className={classes['time']}>{formatDate(createdAt)}</span>,
    },
  ];
}

/** The address with the label of the customer. */
function Address({ connection: { ip, label } }: { connection: Connection }) {
  if (label === '') return ip;
  return (
    <>
      {ip}
      <span className={classes['label']}>{label}</span>
    </>
  );
}

interface RowButtonProps {
  connection: Pick<Connection, 'id' | 'ip'>;
  onClick: () => void;
}

/** Opens the details of a connection, in the lists of customers and of staff. */
export function InfoButton({ connection: { id, ip }, onClick }: RowButtonProps) {
  const { t } = useTranslation('proxyConnection');
  return (
    <ActionIcon variant="default" size={30} id={infoId(id)} aria-label={t('table.infoOf', { ip })} onClick={onClick}>
      <IconInfoCircle size={18} stroke={1.6} aria-hidden="true" />
    </ActionIcon>
  );
}

/** For open connections only. */
export function DisconnectButton({
  connection: { id, ip },
  isLoading,
  onClick,
}: RowButtonProps & { isLoading: boolean }) {
  const { t } = useTranslation('proxyConnection');
  const button = useRef<HTMLButtonElement>(null);
  // The response, a live event or a poll may remove the button. React runs this before the element leaves the page.
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      if (document.activeElement === element) focusInfo(id);
    };
  }, [id]);
  return (
    <Button
      ref={button}
      size="compact-sm"
      {...destructive.opens}
      loading={isLoading}
      aria-label={t('table.disconnectOf', { ip })}
      onClick={onClick}
    >
      {t('table.disconnect')}
    </Button>
  );
}
