import type { UnassignedPayment } from '@cellhop/contract/staff/invoices';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { CardList } from '../../ui/card-list.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { withTicker } from '../invoices/ticker.ts';
import { useUnassignedPayments } from './api.ts';
import classes from './unassigned-payments.module.css';

/** A notice about payments to deleted accounts, and a dialog that lists the newest. Nothing while there are none. */
export function UnassignedPayments() {
  const { t } = useTranslation('staffMoney');
  const payments = useUnassignedPayments().response?.data ?? [];
  const [isOpen, setOpen] = useState(false);
  if (payments.length === 0) return null;
  return (
    <aside className={classes['notice']} aria-label={t('unassigned.title')}>
      <p>{t('unassigned.notice')}</p>
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        {t('unassigned.show')}
      </Button>
      <Dialog isOpen={isOpen} title={t('unassigned.title')} size="lg" onClose={() => setOpen(false)}>
        <Text mb="md">{t('unassigned.text')}</Text>
        <Payments payments={payments} />
      </Dialog>
    </aside>
  );
}

function Payments({ payments }: { payments: readonly UnassignedPayment[] }) {
  const { t } = useTranslation(['staffMoney', 'payment']);
  const columns: Column<UnassignedPayment>[] = [
    { key: 'amount', header: t('deposit.amount'), place: 'heading', render: (payment) => withTicker(payment) },
    {
      key: 'state',
      header: t('deposit.state'),
      place: 'heading',
      render: ({ state }) => t(`deposit.states.${state}`),
    },
    { key: 'arrivedAt', header: t('deposit.arrivedAt'), render: ({ arrivedAt }) => formatDate(arrivedAt) },
    {
      key: 'address',
      header: t('deposit.address'),
      render: ({ address }) => <Copyable name={t('payment:table.address')} value={address} isWrapped />,
    },
    {
      key: 'source',
      header: t('deposit.source'),
      render: ({ transactionId }) => <Copyable name={t('deposit.transaction')} value={transactionId} isWrapped />,
    },
  ];
  return (
    <CardList
      label={t('unassigned.title')}
      columns={columns}
      rows={payments}
      rowKey={({ id }) => id}
      skeletonKeys={[]}
    />
  );
}
