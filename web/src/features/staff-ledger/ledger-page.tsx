import type { StaffTransaction } from '@cellhop/contract/staff/transactions';
import { transactionKinds } from '@cellhop/contract/transactions.values';
import { Button, MultiSelect } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toList } from '../../data/use-list.ts';
import { formatMoney, formatMoment } from '../../format/format.ts';
import { maxDecimals } from '../../format/money.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useScreenParams, useScreenSearch } from '../../loading/use-screen.ts';
import { StaffBreadcrumbs } from '../staff-parts/staff-breadcrumbs.tsx';
import { ColumnMoney } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { AdjustDialog } from '../staff-parts/adjust-dialog.tsx';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { DayRange, FilterPanel } from '../staff-parts/filter-panel.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { UserTabs } from '../staff-parts/user-tabs.tsx';
import { isKind } from '../transactions/choice.ts';
import { subjectText } from '../transactions/subject-text.ts';
import { useLedger } from './api.ts';
import classes from './ledger-page.module.css';
import { staffLedgerScreen, type StaffLedgerSearch } from './screen.ts';

/** The changes of a user's balance, with its corrections. */
export function LedgerPage() {
  const { userId } = useScreenParams(staffLedgerScreen);
  const [search, change] = useScreenSearch(staffLedgerScreen);
  const { t } = useTranslation(['staffMoney', 'staff']);
  const ledger = useLedger(userId, search);
  const [isAdjusting, setAdjusting] = useState(false);
  const canAdjust = usePermission('TRANSACTIONS_WRITE');
  const canReadUsers = usePermission('USERS_READ');
  const { user, balance = 0, held = 0 } = ledger.response ?? {};
  useDocumentTitle(t('ledger.title'));
  return (
    <>
      <StaffBreadcrumbs items={[{ label: user?.email ?? '…' }, { label: t('ledger.title') }]} />
      {user !== undefined && (
        <div className={classes['head']}>
          <Facts
            items={[
              { label: t('staff:user'), value: <UserLink user={user} /> },
              { label: t('ledger.balance'), value: formatMoney(balance) },
              { label: t('ledger.held'), value: formatMoney(held) },
            ]}
          />
          {canAdjust && <Button onClick={() => setAdjusting(true)}>{t('adjust.open')}</Button>}
        </div>
      )}
      {canReadUsers && <UserTabs userId={userId} current="transactions" />}
      <LedgerFilter search={search} onChange={(filter) => change({ ...filter, page: undefined })} />
      <ContinuedList
        list={toList(ledger)}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        moments={search}
        onMoments={(moments) => change({ ...moments, page: undefined })}
        order="NEWEST_FIRST"
        failureText={t('ledger.failed')}
        empty={<EmptyList text={t('ledger.empty')} />}
      >
        {(rows) => <LedgerTable transactions={rows} />}
      </ContinuedList>
      {user !== undefined && <AdjustDialog user={user} isOpen={isAdjusting} onClose={() => setAdjusting(false)} />}
    </>
  );
}

interface LedgerFilterProps {
  search: StaffLedgerSearch;
  onChange: (change: Partial<StaffLedgerSearch>) => void;
}

function LedgerFilter({ search, onChange }: LedgerFilterProps) {
  const { t } = useTranslation('transaction');
  const { kind = [], from, to } = search;
  return (
    <FilterPanel filter={{ kind, from, to }} onReset={onChange}>
      <MultiSelect
        label={t('filter.kind')}
        placeholder={kind.length === 0 ? t('filter.allKinds') : ''}
        data={transactionKinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
        value={kind}
        onChange={(values) => onChange({ kind: values.filter(isKind) })}
        withScrollArea={false}
      />
      <DayRange days={{ from, to }} onChange={onChange} />
    </FilterPanel>
  );
}

function LedgerTable({ transactions }: { transactions: readonly StaffTransaction[] | undefined }) {
  const { t } = useTranslation(['staffMoney', 'transaction']);
  const decimals = maxDecimals(
    (transactions ?? []).flatMap(({ amount, balanceAfter }) => [amount, balanceAfter]),
    formatMoney,
  );
  const columns: Column<StaffTransaction>[] = [
    {
      key: 'date',
      place: 'line',
      header: t('transaction:table.date'),
      render: ({ createdAt }) => formatMoment(createdAt),
    },
    {
      key: 'kind',
      header: t('transaction:table.kind'),
      place: 'heading',
      render: ({ kind }) => t(`transaction:kinds.${kind}`),
    },
    {
      key: 'subject',
      place: 'line',
      header: t('transaction:table.subject'),
      render: (row) => <Subject transaction={row} />,
    },
    {
      key: 'amount',
      header: t('transaction:table.amount'),
      isNumeric: true,
      place: 'heading',
      render: ({ amount }) => <ColumnMoney dollars={amount} format={formatMoney} decimals={decimals} isChange />,
    },
    {
      key: 'balanceAfter',
      place: 'line',
      header: t('transaction:table.balanceAfter'),
      isNumeric: true,
      renderInCard: ({ balanceAfter }) => t('transaction:table.balanceThen', { amount: formatMoney(balanceAfter) }),
      render: ({ balanceAfter }) => <ColumnMoney dollars={balanceAfter} format={formatMoney} decimals={decimals} />,
    },
    { key: 'number', place: 'more', header: t('ledger.number'), isNumeric: true, render: ({ id }) => id },
  ];
  return <DataTable label={t('ledger.label')} columns={columns} rows={transactions} rowKey={({ id }) => id} isDense />;
}

/** The subject of a transaction. Adjustments show reason and author, which customers do not see. */
function Subject({ transaction: { subject, adjustment } }: { transaction: StaffTransaction }) {
  const { t } = useTranslation(['transaction', 'payment']);
  if (adjustment !== null)
    return (
      <>
        <bdi>{adjustment.reason}</bdi> (<UserLink user={adjustment.author} />)
      </>
    );
  if (subject === null) return t('subjects.none');
  return subjectText(t, subject.kind, subject.label);
}
