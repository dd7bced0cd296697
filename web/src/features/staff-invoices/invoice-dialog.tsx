import type { Deposit, StaffInvoiceDetail } from '@cellhop/contract/staff/invoices';
import { Anchor, Button, Checkbox, Stack, Title, Group, SegmentedControl, Text } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { currencyTicker } from '@cellhop/contract/coins';
import { formatDate, formatDecimal, formatMoney } from '../../format/format.ts';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { CardList } from '../../ui/card-list.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { InvoiceStatusBadge } from '../invoices/invoice-status-badge.tsx';
import { withTicker } from '../invoices/ticker.ts';
import { ApprovalHint } from '../staff-parts/approval-hint.tsx';
import { isReason, ReasonField } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { useInvoice, useSettleInvoice } from './api.ts';
import { useSenderColumn } from './sender-column.tsx';
import {
  settledDollars,
  settledNotation,
  type SettlementUnit,
  settlementWords,
  toSettledAmount,
} from './settlement.ts';

/** An invoice with its deposits; with the permission it can be settled here. @param id undefined: closed */
export function InvoiceDialog({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const { t } = useTranslation('staffMoney');
  const shownId = useLastDefined(id);
  const { response, failure } = useInvoice(shownId);
  return (
    <Dialog isOpen={id !== undefined} title={t('invoice.title')} size="lg" onClose={onClose}>
      {failure !== undefined && <LoadFailure text={t('invoice.failed')} {...failure} />}
      {response !== undefined && <InvoiceDetails key={response.data.id} invoice={response.data} />}
    </Dialog>
  );
}

function InvoiceDetails({ invoice }: { invoice: StaffInvoiceDetail }) {
  const { t } = useTranslation(['staffMoney', 'payment', 'staff']);
  const [isSettling, setSettling] = useState(false);
  const canSettle = usePermission('PAYMENTS_EDIT');
  const { user, status, amount, rate, due, address, walletNumber, expiredAt, createdAt, deposits, payment } = invoice;
  return (
    <Stack>
      <Facts
        items={[
          { label: t('staff:user'), value: <UserLink user={user} />, isWide: true },
          {
            label: t('staff:userId'),
            value: <Copyable name={t('staff:userId')} value={user.id} isWrapped />,
            isWide: true,
          },
          { label: t('invoices.status'), value: <InvoiceStatusBadge status={status} /> },
          { label: t('payment:table.amount'), value: formatMoney(amount) },
          { label: t('payment:table.amountInCurrency'), value: withTicker(invoice) },
          { label: t('payment:table.currency'), value: t(`payment:networks.${invoice.currency}`) },
          { label: t('invoice.rate', { ticker: currencyTicker(invoice.currency) }), value: `$${formatDecimal(rate)}` },
          { label: t('invoices.credited'), value: formatMoney(payment?.credited ?? 0) },
          { label: t('invoice.due'), value: formatMoney(due) },
          { label: t('payment:table.createdAt'), value: formatDate(createdAt) },
          { label: t('payment:table.expiredAt'), value: formatDate(expiredAt) },
          {
            label: t('payment:table.address'),
            value: <Copyable name={t('payment:table.address')} value={address} isWrapped />,
            isWide: true,
          },
          { label: t('invoice.walletNumber'), value: walletNumber },
        ]}
      />
      <Title order={2} size="h4">
        {t('invoice.deposits')}
      </Title>
      {deposits.length === 0 ? <p>{t('invoice.noDeposits')}</p> : <Deposits invoice={invoice} deposits={deposits} />}
      {canSettle && !isSettling && (
        <Button variant="default" onClick={() => setSettling(true)}>
          {t('settle.open')}
        </Button>
      )}
      {isSettling && <SettleForm invoice={invoice} onClose={() => setSettling(false)} />}
    </Stack>
  );
}

function Deposits({ invoice: { currency }, deposits }: { invoice: StaffInvoiceDetail; deposits: readonly Deposit[] }) {
  const { t } = useTranslation('staffMoney');
  const columns: Column<Deposit>[] = [
    {
      key: 'amount',
      header: t('deposit.amount'),
      place: 'heading',
      render: ({ amountInCurrency }) => withTicker({ amountInCurrency, currency }),
    },
    {
      key: 'state',
      header: t('deposit.state'),
      place: 'heading',
      render: ({ state, hold, isReplaceable }) =>
        t(hold === null ? `deposit.states.${isReplaceable ? 'REPLACEABLE' : state}` : `deposit.holds.${hold}`),
    },
    { key: 'arrivedAt', header: t('deposit.arrivedAt'), render: ({ arrivedAt }) => formatDate(arrivedAt) },
    {
      key: 'firstSeenAt',
      header: t('deposit.firstSeenAt'),
      render: ({ firstSeenAt }) => formatDate(firstSeenAt),
    },
    { key: 'blockAt', header: t('deposit.blockAt'), render: ({ blockAt }) => dateOrNone(blockAt) },
    {
      key: 'address',
      header: t('deposit.address'),
      render: ({ isAddressReuse }) => (isAddressReuse ? t('deposit.addressReuse') : '—'),
    },
    {
      key: 'credited',
      header: t('invoices.credited'),
      render: ({ credited, rate, reversed }) => {
        if (reversed !== null) return t('deposit.reversed', { amount: formatMoney(reversed) });
        return credited === null
          ? '—'
          : t('deposit.creditedAt', { amount: formatMoney(credited), rate: formatDecimal(rate ?? '') });
      },
    },
    {
      key: 'source',
      header: t('deposit.source'),
      render: (deposit) => <Source deposit={deposit} />,
    },
    useSenderColumn(),
  ];
  return (
    <CardList
      label={t('invoice.deposits')}
      columns={columns}
      rows={deposits}
      rowKey={({ id }) => id}
      skeletonKeys={[]}
    />
  );
}

/** The transaction with a link to its page, or that staff recorded the deposit. */
function Source({ deposit: { transactionId, explorerUrl } }: { deposit: Deposit }) {
  const { t } = useTranslation(['staffMoney', 'payment']);
  if (transactionId === null) return t('deposit.byHand');
  return (
    <>
      <Copyable name={t('deposit.transaction')} value={transactionId} isWrapped />
      {explorerUrl !== null && (
        <Anchor href={explorerUrl} target="_blank" rel="noopener noreferrer" size="sm">
          {t('payment:received.explorer')}
        </Anchor>
      )}
    </>
  );
}

const dateOrNone = (date: string | null) => (date === null ? '—' : formatDate(date));

/** Credits a payment that is not on a chain. The amount is what is due, unless another one is entered. */
function SettleForm({ invoice, onClose }: { invoice: StaffInvoiceDetail; onClose: () => void }) {
  const { t } = useTranslation(['staffMoney', 'common']);
  const { id, currency } = invoice;
  // As shown when the form opened, so that a payment that arrives later is not credited twice.
  const [due] = useState(invoice.due);
  const [unit, setUnit] = useState<SettlementUnit>('USD');
  const [text, setText] = useState(due > 0 ? String(due) : '');
  const [reason, setReason] = useState('');
  const isPaid = due === 0 || invoice.status === 'PAID' || invoice.status === 'OVERPAID';
  const [isPaidAgain, setPaidAgain] = useState(false);
  const settle = useSettleInvoice(id, invoice.user.id);
  const amount = toSettledAmount(unit, text);
  const confirmation = amount && settlementWords(amount, invoice, t);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (amount === undefined || (isPaid && !isPaidAgain)) return;
    const paid = isPaid && isPaidAgain ? { isPaidAgain } : {};
    if ((await settle.run({ ...amount, due, ...paid, reason: reason.trim() })) !== undefined) onClose();
  }

  return (
    <form onSubmit={(event) => void submit(event)} aria-label={t('settle.open')}>
      <Stack>
        <Text>{t('settle.text')}</Text>
        <UnitChoice
          currency={currency}
          unit={unit}
          onChange={(chosen) => {
            setUnit(chosen);
            setText('');
          }}
        />
        <NumberField
          {...settledNotation(unit)}
          label={t('settle.amount', { unit: unit === 'USD' ? 'USD' : currencyTicker(currency) })}
          required
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {confirmation !== undefined && <output>{confirmation.words}</output>}
        {isPaid && (
          <Checkbox
            label={t('settle.isPaidAgain')}
            checked={isPaidAgain}
            onChange={({ currentTarget }) => setPaidAgain(currentTarget.checked)}
          />
        )}
        <ApprovalHint list="SETTLEMENT" userId={invoice.user.id} amount={amount && settledDollars(amount, invoice)} />
        <ReasonField reason={reason} onChange={setReason} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button
            type="submit"
            disabled={amount === undefined || !isReason(reason) || (isPaid && !isPaidAgain)}
            loading={settle.isRunning}
          >
            {confirmation?.action ?? t('settle.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface UnitChoiceProps {
  currency: StaffInvoiceDetail['currency'];
  unit: SettlementUnit;
  onChange: (unit: SettlementUnit) => void;
}

function UnitChoice({ currency, unit, onChange }: UnitChoiceProps) {
  const { t } = useTranslation('staffMoney');
  return (
    <SegmentedControl
      aria-label={t('settle.unit')}
      data={[
        { value: 'USD', label: 'USD' },
        { value: 'CURRENCY', label: currencyTicker(currency) },
      ]}
      value={unit}
      onChange={(value) => onChange(value === 'CURRENCY' ? 'CURRENCY' : 'USD')}
    />
  );
}
