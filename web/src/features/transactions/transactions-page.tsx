import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { OverlaySpinner } from '../../ui/spinner.tsx';
import { useTransactions } from './api.ts';
import { type Choice, isEmpty } from './choice.ts';
import { monthOf } from './month.ts';
import { ReconciliationLine } from './reconciliation-line.tsx';
import { TransactionsFilter } from './transactions-filter.tsx';
import { TransactionsTable } from './transactions-table.tsx';

interface TransactionsPageProps {
  choice: Choice;
  page: number;
  onChoice: (choice: Choice) => void;
  onPage: (page: number) => void;
  /** The month whose statement is open. */
  month: string | undefined;
  onMonth: (month: string | undefined) => void;
}

const monthDialog = lazyPart(async () => (await import('./month-dialog.tsx')).MonthDialog);

export function TransactionsPage({ choice, page, onChoice, onPage, month, onMonth }: TransactionsPageProps) {
  const { t } = useTranslation('transaction');
  const transactions = useTransactions(choice, page);
  const [MonthDialog, loadMonthDialog] = useLazyPart(monthDialog);
  const isMonthShown = month !== undefined;
  useEffect(() => {
    if (isMonthShown) loadMonthDialog();
  }, [isMonthShown, loadMonthDialog]);
  return (
    <>
      <TransactionsFilter choice={choice} onChange={onChoice} onMonth={() => onMonth(monthOf(new Date()))} />
      <PagedList
        list={transactions}
        page={page}
        onPage={onPage}
        failureText={t('table.failed')}
        empty={<NoTransactions isFiltered={!isEmpty(choice)} />}
      >
        {(rows) => <TransactionsTable transactions={rows} />}
      </PagedList>
      <ReconciliationLine />
      {MonthDialog !== undefined && <MonthDialog month={month} onMonth={onMonth} />}
      {MonthDialog === undefined && isMonthShown && <OverlaySpinner />}
    </>
  );
}

function NoTransactions({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation('transaction');
  if (isFiltered) return <EmptyList text={t('table.emptyFiltered')} />;
  return (
    <EmptyList text={t('table.empty')}>
      <Button component={Link} to="/payments/invoices">
        {t('table.topUp')}
      </Button>
    </EmptyList>
  );
}
