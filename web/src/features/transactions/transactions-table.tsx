import type { Transaction } from '@cellhop/contract/transactions';
import { useTranslation } from 'react-i18next';
import { formatDate, maxDecimals } from '../../format/format.ts';
import { ColumnMoney } from '../../ui/column-money.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { subjectText } from './subject-text.ts';
import classes from './transactions-table.module.css';

export function TransactionsTable({ transactions }: { transactions: readonly Transaction[] | undefined }) {
  const { t } = useTranslation(['transaction', 'payment']);
  const decimals = maxDecimals((transactions ?? []).flatMap(({ amount, balanceAfter }) => [amount, balanceAfter]));
  const columns: Column<Transaction>[] = [
    { key: 'date', width: 8.75, header: t('table.date'), render: ({ createdAt }) => formatDate(createdAt) },
    { key: 'kind', width: 10.25, header: t('table.kind'), place: 'heading', render: ({ kind }) => t(`kinds.${kind}`) },
    {
      key: 'subject',
      width: 10.25,
      header: t('table.subject'),
      render: ({ subject }) => (subject === null ? t('subjects.none') : subjectText(t, subject.kind, subject.label)),
    },
    {
      key: 'amount',
      width: 7,
      header: t('table.amount'),
      isNumeric: true,
      place: 'heading',
      render: ({ amount }) => (
        <strong className={classes['amount']} data-gain={amount > 0}>
          <ColumnMoney dollars={amount} decimals={decimals} isChange />
        </strong>
      ),
    },
    {
      key: 'balanceAfter',
      width: 7.25,
      header: t('table.balanceAfter'),
      isNumeric: true,
      render: ({ balanceAfter }) => <ColumnMoney dollars={balanceAfter} decimals={decimals} />,
    },
  ];
  return <DataTable label={t('table.label')} columns={columns} rows={transactions} rowKey={({ id }) => id} />;
}
