import type { StaffTransaction } from '@cellhop/contract/staff/transactions';
import { useTranslation } from 'react-i18next';
import { formatMoment, maxDecimals } from '../../format/format.ts';
import { ColumnMoney } from '../../ui/column-money.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';

export function LedgerTable({ transactions }: { transactions: readonly StaffTransaction[] | undefined }) {
  const { t } = useTranslation(['staffMoney', 'transaction']);
  const decimals = maxDecimals((transactions ?? []).flatMap(({ amount, balanceAfter }) => [amount, balanceAfter]));
  const columns: Column<StaffTransaction>[] = [
    { key: 'date', header: t('transaction:table.date'), render: ({ createdAt }) => formatMoment(createdAt) },
    {
      key: 'kind',
      header: t('transaction:table.kind'),
      place: 'heading',
      render: ({ kind }) => t(`transaction:kinds.${kind}`),
    },
    { key: 'subject', header: t('transaction:table.subject'), render: (row) => <Subject transaction={row} /> },
    {
      key: 'amount',
      header: t('transaction:table.amount'),
      isNumeric: true,
      place: 'heading',
      render: ({ amount }) => <ColumnMoney dollars={amount} decimals={decimals} isChange />,
    },
    {
      key: 'balanceAfter',
      header: t('transaction:table.balanceAfter'),
      isNumeric: true,
      render: ({ balanceAfter }) => <ColumnMoney dollars={balanceAfter} decimals={decimals} />,
    },
    { key: 'number', header: t('ledger.number'), isNumeric: true, render: ({ id }) => id },
  ];
  return <DataTable label={t('ledger.label')} columns={columns} rows={transactions} rowKey={({ id }) => id} isDense />;
}

/** The subject of a transaction. Adjustments show reason and author, which customers do not see. */
function Subject({ transaction: { subject, adjustment } }: { transaction: StaffTransaction }) {
  const { t } = useTranslation(['staffMoney', 'transaction']);
  if (adjustment !== null)
    return (
      <>
        {adjustment.reason} (<UserLink user={adjustment.author} />)
      </>
    );
  if (subject === null) return t('transaction:subjects.none');
  return t(`transaction:subjects.${subject.kind}`, { label: subject.label });
}
