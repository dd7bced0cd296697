import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { OverlaySpinner } from '../../ui/spinner.tsx';
import { useTransactions } from './api.ts';
import { type Choice, isEmpty, isKind } from './choice.ts';
import { monthOf } from './month.ts';
import { ReconciliationLine } from './reconciliation-line.tsx';
import { transactionsScreen, transactionsSearch } from './screen.ts';
import { TransactionsFilter } from './transactions-filter.tsx';
import { TransactionsTable } from './transactions-table.tsx';

const monthDialog = lazyPart(async () => (await import('./month-dialog.tsx')).MonthDialog);

export function TransactionsPage() {
  const [{ page = 1, kind = [], from = '', to = '', month }, change] = useScreenSearch(transactionsScreen);
  const choice: Choice = { kinds: kind.filter(isKind), from, to };
  const showMonth = (chosen: string | undefined) => change({ month: chosen });
  const { t } = useTranslation('transaction');
  const transactions = useTransactions(choice, page);
  const [MonthDialog, loadMonthDialog] = useLazyPart(monthDialog);
  const isMonthShown = month !== undefined;
  useEffect(() => {
    if (isMonthShown) loadMonthDialog();
  }, [isMonthShown, loadMonthDialog]);
  return (
    <>
      <TransactionsFilter
        choice={choice}
        onChange={({ kinds, ...days }) => change(transactionsSearch({ kind: kinds, ...days }), { replace: true })}
        onMonth={() => showMonth(monthOf(new Date()))}
      />
      <PagedList
        list={transactions}
        page={page}
        onPage={(chosen) => change({ page: chosen, month: undefined })}
        failureText={t('table.failed')}
        empty={<NoTransactions isFiltered={!isEmpty(choice)} />}
      >
        {(rows) => <TransactionsTable transactions={rows} />}
      </PagedList>
      <ReconciliationLine />
      {MonthDialog !== undefined && <MonthDialog month={month} onMonth={showMonth} />}
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
