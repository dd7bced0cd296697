import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
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
  return (
    <>
      <TransactionsFilter choice={choice} onChange={onChoice} />
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
