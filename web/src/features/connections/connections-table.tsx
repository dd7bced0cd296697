import type { Connection } from '@cellhop/contract/connections';
import { ActionIcon, Button } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatTraffic, maxDecimals } from '../../format/format.ts';
import { ColumnMoney, countryColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { destructive } from '../../ui/destructive.ts';
import { isLive } from './api.ts';
import { ConnectionStatusBadge } from './connection-status-badge.tsx';
import classes from './connections-table.module.css';

interface ConnectionsTableProps {
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
  const decimals = maxDecimals((connections ?? []).map(({ paidFor }) => paidFor));
  const columns: Column<Connection>[] = [
    {
      key: 'info',
      width: 3.6,
      header: t('table.info'),
      place: 'heading',
      render: (connection) => <InfoButton connection={connection} onClick={() => onShow(connection)} />,
    },
    ...useLocationColumns(),
    {
      key: 'paidFor',
      width: 5,
      header: t('table.paidFor'),
      isNumeric: true,
      render: ({ paidFor }) => <ColumnMoney dollars={paidFor} decimals={decimals} />,
    },
    {
      key: 'trafficUsed',
      width: 4.6,
      header: t('table.trafficUsed'),
      isNumeric: true,
      render: ({ trafficUsed }) => formatTraffic(trafficUsed),
    },
    {
      key: 'connectionType',
      width: 3.8,
      header: t('common:location.type'),
      render: ({ connectionType }) => connectionType,
    },
    {
      key: 'status',
      width: 8.6,
      header: t('table.status'),
      place: 'heading',
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
    {
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
    },
  ];
  return <DataTable label={t('table.label')} columns={columns} rows={connections} rowKey={({ id }) => id} isDense />;
}

function useLocationColumns(): Column<Connection>[] {
  const { t } = useTranslation('common');
  return [
    {
      key: 'ip',
      width: 8.7,
      header: t('location.ip'),
      isUnbroken: true,
      place: 'heading',
      render: (connection) => <Address connection={connection} />,
    },
    { ...countryColumn(t('location.country')), width: 4.2 },
    { key: 'city', width: 4.4, header: t('location.city'), render: ({ city }) => city },
    { key: 'zip', width: 4.3, header: t('location.zip'), render: ({ zip }) => zip },
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
