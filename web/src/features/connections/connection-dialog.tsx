import type { Connection } from '@cellhop/contract/connections';
import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMegabytes, formatMoney, prepaidPrice } from '../../lib/format.ts';
import { protocolNames } from '../../lib/protocols.ts';
import { useLastDefined } from '../../lib/use-last-defined.ts';
import { CountryFlag } from '../../ui/country-flag.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { isLive } from './api.ts';
import { ConnectionAccess } from './connection-access.tsx';
import { ConnectionStatusBadge } from './connection-status-badge.tsx';
import { ReceiptSection } from './receipt-section.tsx';

interface ConnectionDialogProps {
  connection: Connection | undefined;
  onClose: () => void;
}

export function ConnectionDialog({ connection: shown, onClose }: ConnectionDialogProps) {
  const { t } = useTranslation('proxyConnection');
  const connection = useLastDefined(shown);
  return (
    <Dialog
      isOpen={shown !== undefined}
      title={t('detail.title', { ip: connection?.ip ?? '' })}
      size="lg"
      onClose={onClose}
    >
      {connection !== undefined && (
        <Stack gap="lg">
          <Receipt connection={connection} />
          {isLive(connection) && (
            <Text size="sm" c="dimmed">
              {t('detail.liveNote')}
            </Text>
          )}
          <ConnectionAccess connection={connection} />
          <ReceiptSection connection={connection} />
          <Location connection={connection} />
        </Stack>
      )}
    </Dialog>
  );
}

function Receipt({ connection }: { connection: Connection }) {
  const { t } = useTranslation(['proxyConnection', 'common']);
  const { disconnectAt, endReason } = connection;
  return (
    <Facts
      items={[
        { label: t('table.status'), value: <ConnectionStatusBadge status={connection.status} /> },
        { label: t('table.paidFor'), value: formatMoney(connection.paidFor) },
        {
          label: t('table.trafficUsed'),
          value: t('common:megabytes', { value: formatMegabytes(connection.trafficUsed) }),
        },
        { label: t('detail.pricePaid'), value: formatMoney(prepaidPrice(connection.price)) },
        { label: t('table.refundStatus'), value: t(`refundStatuses.${connection.refundStatus}`) },
        { label: t('detail.createdAt'), value: formatDate(connection.createdAt) },
        ...(disconnectAt === null ? [] : [{ label: t('detail.disconnectAt'), value: formatDate(disconnectAt) }]),
        ...(endReason === null ? [] : [{ label: t('detail.endReason'), value: t(`endReasons.${endReason}`) }]),
      ]}
    />
  );
}

function Location({ connection }: { connection: Connection }) {
  const { t } = useTranslation('common');
  return (
    <Facts
      items={[
        { label: t('location.country'), value: <CountryFlag code={connection.countryCode} hasName /> },
        { label: t('location.region'), value: connection.region },
        { label: t('location.city'), value: connection.city },
        { label: t('location.zip'), value: connection.zip },
        { label: t('location.isp'), value: connection.isp },
        { label: t('location.connectionType'), value: connection.connectionType },
        { label: t('location.protocols'), value: protocolNames() },
      ]}
    />
  );
}
