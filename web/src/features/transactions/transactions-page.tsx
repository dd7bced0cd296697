import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { isPastLast, Pages, PastLastPage } from '../../ui/pages.tsx';
import { useTransactions } from './api.ts';
import { type Choice, isEmpty } from './choice.ts';
import { ReconciliationLine } from './reconciliation-line.tsx';
import { TransactionsFilter } from './transactions-filter.tsx';
import { TransactionsTable } from './transactions-table.tsx';

interface TransactionsPageProps {
  choice: Choice;
  page: number;
  onChoice: (choice: Choice) => void;
  onPage: (page: number) => void;
}

export function TransactionsPage({ choice, page, onChoice, onPage }: TransactionsPageProps) {
  const { t } = useTranslation('transaction');
  const transactions = useTransactions(choice, page);
  const totalPages = transactions.data?.totalPages ?? 0;
  const rows = transactions.isPlaceholderData ? undefined : transactions.data?.data;
  return (
    <>
      <TransactionsFilter choice={choice} onChange={onChoice} />
      {transactions.isError && rows === undefined ? (
        <LoadFailure
          text={t('table.failed')}
          error={transactions.error}
          isRetrying={transactions.isFetching}
          onRetry={() => void transactions.refetch()}
        />
      ) : isPastLast({ page, totalPages }) ? (
        <PastLastPage page={page} totalPages={totalPages} onChange={onPage} />
      ) : rows?.length === 0 ? (
        <NoTransactions isFiltered={!isEmpty(choice)} />
      ) : (
        <TransactionsTable transactions={rows} />
      )}
      <Pages page={page} totalPages={totalPages} onChange={onPage} />
      <ReconciliationLine />
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
