import type { Connection } from '@cellhop/contract/connections';
import { CONNECTION_LABEL_LENGTH_MAX } from '@cellhop/contract/limits';
import { Button, Center, Loader, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatTraffic, prepaidPrice } from '../../format/format.ts';
import { formatPrice } from '../../format/money.ts';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { useShopTimes } from '../../hooks/use-shop-times.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { useProxyDetails } from '../../ui/proxy-details.tsx';
import { Money } from '../../ui/money.tsx';
import { isLive, useLabel } from './api.ts';
import { ConnectionAccess } from './connection-access.tsx';
import { ConnectionStatusBadge } from './connection-status-badge.tsx';
import classes from './label-form.module.css';
import { LastRefusal } from './last-refusal.tsx';
import { ReceiptSection } from './receipt-section.tsx';
import { RotationSection } from './rotation.tsx';
import { startedMegabytes } from './refund.ts';

/** Used rarely, so the forms are loaded on demand. */
const ConnectionControls = lazy(async () => ({
  default: (await import('./connection-controls.tsx')).ConnectionControls,
}));

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
          <Summary connection={connection} />
          {isLive(connection) ? (
            <>
              <Text size="sm" c="dimmed">
                {t('detail.liveNote')}
              </Text>
              <LabelForm key={connection.id} connection={connection} />
              <ConnectionAccess connection={connection} />
              <RotationSection connection={connection} />
              <Suspense
                fallback={
                  <Center mih={200}>
                    <Loader />
                  </Center>
                }
              >
                <ConnectionControls key={connection.id} connection={connection} />
              </Suspense>
              <ReceiptSection connection={connection} />
            </>
          ) : (
            <>
              <BuyAgain connection={connection} />
              <ReceiptSection connection={connection} />
              <LabelForm key={connection.id} connection={connection} />
              <ConnectionAccess connection={connection} />
            </>
          )}
          <Location connection={connection} />
        </Stack>
      )}
    </Dialog>
  );
}

/** The location of the connection as a search in the catalogue: the proxy itself may be sold. */
function BuyAgain({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const { countryCode, region, city, isp, connectionType } = connection;
  const search = {
    country: [countryCode],
    region: [region],
    city: [city],
    isp: [isp],
    connectionType: [connectionType],
  };
  return (
    <Button variant="light" renderRoot={(given) => <Link {...given} to="/proxies" search={search} />}>
      {t('detail.buyAgain')}
    </Button>
  );
}

/** Starts with the cost and, after the end, the reason. */
function Summary({ connection }: { connection: Connection }) {
  const { t } = useTranslation(['proxyConnection', 'common']);
  const { disconnectAt, endReason, lastRefusal } = connection;
  const times = useShopTimes();
  const used = formatTraffic(connection.trafficUsed);
  return (
    <Facts
      items={[
        { label: t('table.paidFor'), value: <Money dollars={connection.paidFor} /> },
        ...(endReason === null ? [] : [{ label: t('detail.endReason'), value: t(`endReasons.${endReason}`, times) }]),
        { label: t('table.status'), value: <ConnectionStatusBadge status={connection.status} /> },
        {
          label: t('table.trafficUsed'),
          value: t('detail.started', { used, count: startedMegabytes(connection) }),
        },
        {
          label: t('detail.pricePaid'),
          value: <Money dollars={prepaidPrice(connection.price)} format={formatPrice} />,
        },
        { label: t('table.refundStatus'), value: t(`refundStatuses.${connection.refundStatus}`) },
        { label: t('detail.createdAt'), value: formatDate(connection.createdAt) },
        ...(disconnectAt === null ? [] : [{ label: t('detail.disconnectAt'), value: formatDate(disconnectAt) }]),
        ...(lastRefusal !== null
          ? [{ label: t('detail.lastRefusal'), value: <LastRefusal refusal={lastRefusal} />, isWide: true }]
          : []),
      ]}
    />
  );
}

function Location({ connection }: { connection: Connection }) {
  return <Facts items={useProxyDetails(connection)} />;
}

/** The form for the label of a connection. */
function LabelForm({ connection: { id, label } }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const [text, setText] = useState(label);
  const saving = useLabel();
  return (
    <form
      className={classes['form']}
      onSubmit={(event) => {
        event.preventDefault();
        void saving.run({ id, label: text });
      }}
    >
      <TextInput
        label={t('label.field')}
        description={t('label.hint')}
        maxLength={CONNECTION_LABEL_LENGTH_MAX}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={text.trim() === label} loading={saving.isRunning}>
        {t('label.save')}
      </Button>
    </form>
  );
}
