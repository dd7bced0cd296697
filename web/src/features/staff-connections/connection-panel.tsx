import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate, formatTraffic, prepaidPrice } from '../../format/format.ts';
import { formatPrice } from '../../format/money.ts';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { useShopTimes } from '../../hooks/use-shop-times.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { destructive } from '../../ui/destructive.ts';
import { Facts } from '../../ui/facts.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { Pages } from '../../ui/paged-list.tsx';
import { useProxyDetails } from '../../ui/proxy-details.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Money } from '../../ui/money.tsx';
import { ChargesTable } from '../connections/charges-table.tsx';
import { ConnectionStatusBadge } from '../connections/connection-status-badge.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { AddressHolders } from './address-holders.tsx';
import { useCharges, useConnectionOfUser } from './api.ts';
import { RefundForm } from './refund-form.tsx';

interface ConnectionPanelProps {
  /** Undefined: closed. */
  id: string | undefined;
  /** Undefined if the member of staff may not end connections. */
  onEnd: ((connection: StaffConnection) => void) | undefined;
  onClose: () => void;
}

/** The details of a connection and the actions of staff. The API never sends its password to staff. */
export function ConnectionPanel({ id, onEnd, onClose }: ConnectionPanelProps) {
  const { t } = useTranslation(['staffConnections', 'proxyConnection']);
  const { rows, failure } = useConnectionOfUser(useLastDefined(id));
  const connection = rows?.[0];
  return (
    <SidePanel
      isOpen={id !== undefined}
      title={t('proxyConnection:detail.title', { ip: connection?.ip ?? '' })}
      onClose={onClose}
    >
      {failure !== undefined && <LoadFailure text={t('detail.failed')} {...failure} />}
      {failure === undefined && rows === undefined && <Skeleton height={320} radius="md" />}
      {rows?.length === 0 && <p>{t('detail.missing')}</p>}
      {connection !== undefined && (
        <Stack gap="lg" key={connection.id}>
          <Headline connection={connection} onEnd={onEnd} />
          <Summary connection={connection} />
          <Access connection={connection} />
          <Location connection={connection} />
          <AddressHolders ip={connection.ip} />
          <Charges id={connection.id} />
        </Stack>
      )}
    </SidePanel>
  );
}

/** The state, what it has cost, and the actions. */
function Headline({ connection, onEnd }: Pick<ConnectionPanelProps, 'onEnd'> & { connection: StaffConnection }) {
  const { t } = useTranslation(['staffConnections', 'proxyConnection']);
  const [isRefunding, setRefunding] = useState(false);
  const canRefund = usePermission('TRANSACTIONS_WRITE');
  const { status, paidFor } = connection;
  return (
    <>
      <Group justify="space-between">
        <ConnectionStatusBadge status={status} text={t(`statuses.${status}`)} />
        <Group gap="xs">
          {canRefund && paidFor > 0 && !isRefunding && (
            <Button variant="default" onClick={() => setRefunding(true)}>
              {t('refund.action')}
            </Button>
          )}
          {onEnd !== undefined && status === 'WORK' && (
            <Button {...destructive.opens} onClick={() => onEnd(connection)}>
              {t('proxyConnection:table.disconnect')}
            </Button>
          )}
        </Group>
      </Group>
      {isRefunding && <RefundForm connection={connection} onClose={() => setRefunding(false)} />}
    </>
  );
}

/** The owner and what it has cost. */
function Summary({ connection }: { connection: StaffConnection }) {
  const { t } = useTranslation(['staffConnections', 'staff', 'proxyConnection', 'common']);
  const { id, user, endReason, disconnectAt, syncAt } = connection;
  const times = useShopTimes();
  return (
    <Facts
      items={[
        { label: t('staff:user'), value: <UserLink user={user} />, isWide: true },
        {
          label: t('staff:userId'),
          value: <Copyable name={t('staff:userId')} value={user.id} isWrapped />,
          isWide: true,
        },
        { label: t('detail.id'), value: <Copyable name={t('detail.id')} value={id} isWrapped />, isWide: true },
        ...(endReason === null ? [] : [{ label: t('detail.endReason'), value: t(`endReasons.${endReason}`, times) }]),
        { label: t('proxyConnection:table.paidFor'), value: <Money dollars={connection.paidFor} /> },
        {
          label: t('proxyConnection:table.trafficUsed'),
          value: formatTraffic(connection.trafficUsed),
        },
        {
          label: t('proxyConnection:detail.pricePaid'),
          value: <Money dollars={prepaidPrice(connection.price)} format={formatPrice} />,
        },
        {
          label: t('proxyConnection:table.refundStatus'),
          value: t(`proxyConnection:refundStatuses.${connection.refundStatus}`),
        },
        { label: t('proxyConnection:detail.createdAt'), value: formatDate(connection.createdAt) },
        { label: t('detail.syncAt'), value: syncAt === null ? '—' : formatDate(syncAt) },
        {
          label: t('proxyConnection:detail.disconnectAt'),
          value: disconnectAt === null ? '—' : formatDate(disconnectAt),
        },
      ]}
    />
  );
}

/** How the customer's programs reach it, without the password. */
function Access({ connection: { host, port, dnsPort, username, capMegabytes } }: { connection: StaffConnection }) {
  const { t } = useTranslation(['staffConnections', 'proxyConnection', 'common']);
  return (
    <Facts
      items={[
        { label: t('proxyConnection:access.host'), value: `${host}:${port}` },
        { label: t('proxyConnection:access.dnsPort'), value: dnsPort ?? t('proxyConnection:access.noDnsPort') },
        {
          label: t('proxyConnection:access.username'),
          value: <Copyable name={t('proxyConnection:access.username')} value={username} />,
        },
        {
          label: t('detail.cap'),
          value:
            capMegabytes === null
              ? t('proxyConnection:trafficCap.none')
              : t('common:megabytes', { value: formatCount(capMegabytes) }),
        },
      ]}
    />
  );
}

function Location({ connection }: { connection: StaffConnection }) {
  return <Facts items={useProxyDetails(connection)} />;
}

function Charges({ id }: { id: string }) {
  const { t } = useTranslation('receipt');
  const [page, setPage] = useState(1);
  const { response, failure, refetch } = useCharges(id, page);
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        {t('charges')}
      </Title>
      {failure !== undefined ? (
        <LoadFailure text={t('failed')} {...failure} onRetry={refetch} />
      ) : response === undefined ? (
        <Skeleton height={160} radius="md" />
      ) : (
        <>
          <ChargesTable charges={response.data} />
          <Pages page={page} totalPages={response.totalPages} onChange={setPage} />
        </>
      )}
    </Stack>
  );
}
