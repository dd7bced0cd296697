import type { UnassignedPayment } from '@cellhop/contract/staff/invoices';
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../format/format.ts';
import { CardList } from '../../ui/card-list.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { withTicker } from '../invoices/ticker.ts';
import { ApprovalHint } from '../staff-parts/approval-hint.tsx';
import { ReasonForm } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useAssignDeposit, useUnassignedPayments } from './api.ts';
import { useSenderColumn } from './sender-column.tsx';
import classes from './unassigned-payments.module.css';

/** A notice about payments to deleted accounts and lost addresses, and a dialog that lists the newest. Nothing while there are none. */
export function UnassignedPayments() {
  const { t } = useTranslation('staffMoney');
  const payments = useUnassignedPayments().response?.data ?? [];
  const [isOpen, setOpen] = useState(false);
  const [assignedId, setAssignedId] = useState<string>();
  const assigned = payments.find(({ id }) => id === assignedId);
  if (payments.length === 0) return null;
  return (
    <aside className={classes['notice']} aria-label={t('unassigned.title')}>
      <p>{t('unassigned.notice')}</p>
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        {t('unassigned.show')}
      </Button>
      <Dialog isOpen={isOpen} title={t('unassigned.title')} size="lg" onClose={() => setOpen(false)}>
        {assigned === undefined ? (
          <>
            <Text mb="md">{t('unassigned.text')}</Text>
            <Payments payments={payments} onAssign={setAssignedId} />
          </>
        ) : (
          <AssignForm key={assigned.id} payment={assigned} onClose={() => setAssignedId(undefined)} />
        )}
      </Dialog>
    </aside>
  );
}

interface PaymentsProps {
  payments: readonly UnassignedPayment[];
  onAssign: (id: string) => void;
}

function Payments({ payments, onAssign }: PaymentsProps) {
  const { t } = useTranslation(['staffMoney', 'payment']);
  const canAssign = usePermission('PAYMENTS_EDIT');
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
    useSenderColumn(),
    {
      key: 'assign',
      header: t('unassigned.assign'),
      render: ({ id, value = null, ...payment }) =>
        value !== null && canAssign ? (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={t('unassigned.assignOf', { amount: withTicker(payment) })}
            onClick={() => onAssign(id)}
          >
            {t('unassigned.assign')}
          </Button>
        ) : (
          '—'
        ),
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

interface AssignFormProps {
  payment: UnassignedPayment;
  onClose: () => void;
}

/** A request like a settlement, because whoever gets the payment was shown its address in a time that was lost. */
function AssignForm({ payment, onClose }: AssignFormProps) {
  const { t } = useTranslation(['staffMoney', 'staff']);
  const [email, setEmail] = useState('');
  const assign = useAssignDeposit(payment.id);
  const value = payment.value ?? 0;
  const given = email.trim();

  return (
    <ReasonForm
      text={
        <Stack>
          <Text>{t('unassigned.assignText', { amount: withTicker(payment), value: formatMoney(value) })}</Text>
          <TextInput
            label={t('staff:user')}
            description={t('unassigned.emailHint')}
            type="email"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <ApprovalHint list="SETTLEMENT" amount={value} />
        </Stack>
      }
      action={t('balanceChange.creditAction', { amount: formatMoney(value) })}
      isIncomplete={given === ''}
      isWorking={assign.isRunning}
      onConfirm={(reason = '') =>
        void assign.run({ email: given, reason }).then((done) => done !== undefined && onClose())
      }
      onClose={onClose}
    />
  );
}
