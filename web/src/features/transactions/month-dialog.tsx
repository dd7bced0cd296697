import type { TransactionKind } from '@cellhop/contract/transactions.values';
import type { TransactionSummary } from '@cellhop/contract/transactions';
import { Button, Select, Skeleton } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate, formatMoney } from '../../format/format.ts';
import { maxDecimals } from '../../format/money.ts';
import { ColumnMoney } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { useMonth } from './api.ts';
import { monthName, toMonth, recentMonths } from './month.ts';
import classes from './paper.module.css';
import { Parties, SellerNote } from './parties.tsx';

export interface MonthDialogProps {
  /** Undefined: closed. */
  month: string | undefined;
  onMonth: (month: string | undefined) => void;
}

/** The monthly statement for the customer's accountant. The browser prints it, or saves it as PDF. */
export function MonthDialog({ month, onMonth }: MonthDialogProps) {
  const { t, i18n } = useTranslation('transaction');
  const language = i18n.resolvedLanguage ?? 'en';
  const [now] = useState(() => new Date());
  const shown = month ?? toMonth(now);
  const months = recentMonths(now);
  return (
    <Dialog isOpen={month !== undefined} title={t('month.title')} size="lg" onClose={() => onMonth(undefined)}>
      <form className={classes['controls']} onSubmit={(event) => event.preventDefault()}>
        <Select
          label={t('month.month')}
          allowDeselect={false}
          data={(months.includes(shown) ? months : [...months, shown]).map((each) => ({
            value: each,
            label: monthName(each, language),
          }))}
          value={shown}
          onChange={(chosen) => chosen !== null && onMonth(chosen)}
          withScrollArea={false}
        />
        <Button leftSection={<IconPrinter size={18} stroke={1.6} aria-hidden="true" />} onClick={() => print()}>
          {t('month.print')}
        </Button>
      </form>
      {month !== undefined && <Month key={month} month={month} language={language} />}
    </Dialog>
  );
}

function Month({ month, language }: { month: string; language: string }) {
  const { t } = useTranslation('transaction');
  const [openedAt] = useState(() => new Date().toISOString());
  const { summary, company } = useMonth(month);
  const failure = summary.failure ?? company.failure;
  if (failure !== undefined)
    return (
      <LoadFailure
        text={t('month.failed')}
        {...failure}
        onRetry={() => [summary, company].forEach(({ refetch }) => refetch())}
      />
    );
  if (summary.response === undefined || company.response === undefined) return <Skeleton height={320} radius="md" />;
  return (
    <article className={classes['paper']}>
      <h3>{t('month.heading', { month: monthName(month, language) })}</h3>
      <Parties company={company.response.data} />
      <Sums summary={summary.response.data} />
      <SellerNote />
      <p className={classes['note']}>{t('month.note', { date: formatDate(openedAt) })}</p>
    </article>
  );
}

const charges: ReadonlySet<TransactionKind> = new Set(['PREPAID_50_MB', 'MEGABYTE', 'REFUND']);

function Sums({ summary: { openingBalance, closingBalance, kinds } }: { summary: TransactionSummary }) {
  const { t } = useTranslation('transaction');
  const groups = [
    { name: 'credits', rows: kinds.filter(({ kind }) => !charges.has(kind)) },
    { name: 'charges', rows: kinds.filter(({ kind }) => charges.has(kind)) },
  ] as const;
  const decimals = maxDecimals([openingBalance, closingBalance, ...kinds.map(({ amount }) => amount)], formatMoney);
  const money = (dollars: number, isChange = false) => (
    <td>
      <ColumnMoney dollars={dollars} format={formatMoney} decimals={decimals} isChange={isChange} />
    </td>
  );
  return (
    <table className={classes['sums']}>
      <thead>
        <tr>
          <th scope="col">{t('table.kind')}</th>
          <th scope="col">{t('month.count')}</th>
          <th scope="col">{t('file.amount')}</th>
        </tr>
      </thead>
      <tbody>
        <tr className={classes['total']}>
          <th scope="row" colSpan={2}>
            {t('month.opening')}
          </th>
          {money(openingBalance)}
        </tr>
      </tbody>
      {groups.map(({ name, rows }) => (
        <tbody key={name}>
          {rows.map(({ kind, count, amount }) => (
            <tr key={kind}>
              <th scope="row">{t(`kinds.${kind}`)}</th>
              <td>{formatCount(count)}</td>
              {money(amount, true)}
            </tr>
          ))}
          <tr className={classes['total']}>
            <th scope="row" colSpan={2}>
              {t(`month.${name}`)}
            </th>
            {money(sum(rows.map(({ amount }) => amount)), true)}
          </tr>
        </tbody>
      ))}
      <tfoot>
        <tr className={classes['total']}>
          <th scope="row" colSpan={2}>
            {t('month.closing')}
          </th>
          {money(closingBalance)}
        </tr>
      </tfoot>
    </table>
  );
}

/** Exact: the amounts have at most six decimals. */
function sum(dollars: readonly number[]): number {
  return dollars.reduce((micros, each) => micros + Math.round(each * 1e6), 0) / 1e6;
}
