import type { SuspendedPayment, ReleaseDepositBody } from '@cellhop/contract/staff/invoices';
import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatDecimal, formatMoney } from '../../format/format.ts';
import { CardList } from '../../ui/card-list.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { withTicker } from '../invoices/ticker.ts';
import { ApprovalHint } from '../staff-parts/approval-hint.tsx';
import { isReason, ReasonField } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { useSuspendedPayments, useReleaseDeposit } from './api.ts';
import { useSenderColumn } from './sender-column.tsx';
import classes from './unassigned-payments.module.css';

/** A notice about payments on hold, and a dialog that lists those that have waited longest. Nothing while there are none. */
export function SuspendedPayments() {
  const { t } = useTranslation('staffMoney');
  const deposits = useSuspendedPayments().response?.data ?? [];
  const [isOpen, setOpen] = useState(false);
  const [releasedId, setReleasedId] = useState<string>();
  const released = deposits.find(({ id }) => id === releasedId);
  if (deposits.length === 0) return null;
  return (
    <aside className={classes['notice']} aria-label={t('held.title')}>
      <p>{t('held.notice')}</p>
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        {t('held.show')}
      </Button>
      <Dialog isOpen={isOpen} title={t('held.title')} size="lg" onClose={() => setOpen(false)}>
        {released === undefined ? (
          <>
            <Text mb="md">{t('held.text')}</Text>
            <Deposits deposits={deposits} onRelease={setReleasedId} />
          </>
        ) : (
          <ReleaseForm key={released.id} deposit={released} onClose={() => setReleasedId(undefined)} />
        )}
      </Dialog>
    </aside>
  );
}

interface DepositsProps {
  deposits: readonly SuspendedPayment[];
  onRelease: (id: string) => void;
}

function Deposits({ deposits, onRelease }: DepositsProps) {
  const { t } = useTranslation(['staffMoney', 'staff']);
  const canRelease = usePermission('PAYMENTS_EDIT');
  const columns: Column<SuspendedPayment>[] = [
    { key: 'amount', header: t('deposit.amount'), place: 'heading', render: (deposit) => withTicker(deposit) },
    { key: 'hold', header: t('deposit.state'), place: 'heading', render: ({ hold }) => t(`deposit.holds.${hold}`) },
    { key: 'user', header: t('staff:user'), render: ({ user }) => <UserLink user={user} /> },
    { key: 'arrivedAt', header: t('deposit.arrivedAt'), render: ({ arrivedAt }) => formatDate(arrivedAt) },
    { key: 'market', header: t('held.market'), render: (deposit) => <MarketValue deposit={deposit} /> },
    {
      key: 'source',
      header: t('deposit.source'),
      render: ({ transactionId }) => <Copyable name={t('deposit.transaction')} value={transactionId} isWrapped />,
    },
    useSenderColumn(),
    {
      key: 'release',
      header: t('held.release'),
      render: ({ id, hold, user, ...deposit }) =>
        hold === 'DEPEG' && canRelease ? (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={t('held.releaseOf', { amount: withTicker(deposit), email: user.email })}
            onClick={() => onRelease(id)}
          >
            {t('held.release')}
          </Button>
        ) : (
          '—'
        ),
    },
  ];
  return (
    <CardList label={t('held.title')} columns={columns} rows={deposits} rowKey={({ id }) => id} skeletonKeys={[]} />
  );
}

function MarketValue({ deposit: { hold, marketRate, marketValue } }: { deposit: SuspendedPayment }) {
  const { t } = useTranslation('staffMoney');
  if (hold !== 'DEPEG') return '—';
  if (marketRate === null || marketValue === null) return t('held.unknown');
  return t('deposit.creditedAt', { amount: formatMoney(marketValue), rate: formatDecimal(marketRate) });
}

interface ReleaseFormProps {
  deposit: SuspendedPayment;
  onClose: () => void;
}

/** At the market price it creates nothing; one dollar for each is a request like a settlement. */
function ReleaseForm({ deposit, onClose }: ReleaseFormProps) {
  const { t } = useTranslation(['staffMoney', 'common']);
  const { id, user, marketValue, parValue } = deposit;
  const [rate, setRate] = useState<ReleaseDepositBody['rate']>(marketValue === null ? 'PAR' : 'MARKET');
  const [reason, setReason] = useState('');
  const release = useReleaseDeposit(id, user.id);
  const excess = (parValue ?? 0) - (marketValue ?? 0);
  const credited = (rate === 'MARKET' ? marketValue : parValue) ?? 0;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if ((await release.run({ rate, reason: reason.trim() })) !== undefined) onClose();
  }

  return (
    <form onSubmit={(event) => void submit(event)} aria-label={t('held.release')}>
      <Stack>
        <Text>{t('held.releaseOf', { amount: withTicker(deposit), email: user.email })}</Text>
        <Radio.Group
          label={t('held.rate')}
          value={rate}
          onChange={(value) => setRate(value === 'MARKET' ? 'MARKET' : 'PAR')}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="MARKET"
              disabled={marketValue === null}
              label={
                marketValue === null ? t('held.unknown') : t('held.atMarket', { amount: formatMoney(marketValue) })
              }
            />
            <Radio value="PAR" label={t('held.atPar', { amount: formatMoney(parValue ?? 0) })} />
          </Stack>
        </Radio.Group>
        {rate === 'PAR' && <Text>{t('held.excess', { amount: formatMoney(excess) })}</Text>}
        <ApprovalHint list="SETTLEMENT" userId={user.id} amount={rate === 'PAR' ? excess : 0} />
        <ReasonField reason={reason} onChange={setReason} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={!isReason(reason)} loading={release.isRunning}>
            {t('balanceChange.creditAction', { amount: formatMoney(credited) })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
