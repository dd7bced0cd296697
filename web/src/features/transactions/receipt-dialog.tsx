import { currencyTicker } from '@cellhop/contract/coins';
import type { TopUpReceipt } from '@cellhop/contract/invoices';
import { Button, Skeleton } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatDecimal, formatMoney } from '../../format/format.ts';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { useReceipt } from './api.ts';
import classes from './paper.module.css';
import { Parties, SellerNote } from './parties.tsx';

export interface ReceiptDialogProps {
  /** Undefined: closed. */
  number: number | undefined;
  onClose: () => void;
}

/** The receipt of a top-up. The browser prints it, or saves it as PDF. */
export function ReceiptDialog({ number: shown, onClose }: ReceiptDialogProps) {
  const { t } = useTranslation('transaction');
  const number = useLastDefined(shown);
  return (
    <Dialog isOpen={shown !== undefined} title={t('receipt.title', { number })} size="lg" onClose={onClose}>
      <form className={classes['controls']} onSubmit={(event) => event.preventDefault()}>
        <Button leftSection={<IconPrinter size={18} stroke={1.6} aria-hidden="true" />} onClick={() => print()}>
          {t('month.print')}
        </Button>
      </form>
      {number !== undefined && <Receipt key={number} number={number} />}
    </Dialog>
  );
}

function Receipt({ number }: { number: number }) {
  const { t } = useTranslation('transaction');
  const { receipt, company } = useReceipt(number);
  const failure = receipt.failure ?? company.failure;
  if (failure !== undefined)
    return (
      <LoadFailure
        text={t('receipt.failed')}
        {...failure}
        onRetry={() => [receipt, company].forEach(({ refetch }) => refetch())}
      />
    );
  if (receipt.response === undefined || company.response === undefined) return <Skeleton height={320} radius="md" />;
  return (
    <article className={classes['paper']}>
      <Parties company={company.response.data} />
      <Payment receipt={receipt.response.data} />
      <SellerNote />
    </article>
  );
}

function Payment({ receipt }: { receipt: TopUpReceipt }) {
  const { t } = useTranslation(['transaction', 'payment']);
  const { amount, amountInCurrency, creditedAt, currency, rate, reversedAt, transactionId } = receipt;
  const ticker = currencyTicker(currency);
  return (
    <Facts
      items={[
        { label: t('receipt.creditedAt'), value: formatDate(creditedAt) },
        { label: t('receipt.amount'), value: <strong>{formatMoney(amount)}</strong> },
        { label: t('receipt.paid'), value: `${formatDecimal(amountInCurrency)} ${ticker}` },
        { label: t('receipt.rate'), value: t('receipt.rateOf', { ticker, rate: formatDecimal(rate) }) },
        { label: t('payment:pay.network'), value: t(`payment:networks.${currency}`) },
        ...(reversedAt === null ? [] : [{ label: t('receipt.reversedAt'), value: formatDate(reversedAt) }]),
        ...(transactionId === null
          ? []
          : [
              {
                label: t('receipt.transactionId'),
                value: <code className={classes['id']}>{transactionId}</code>,
                isWide: true,
              },
            ]),
      ]}
    />
  );
}
