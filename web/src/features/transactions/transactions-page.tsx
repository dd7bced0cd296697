import type { Transaction } from '@cellhop/contract/transactions';
import { transactionKinds } from '@cellhop/contract/transactions.values';
import { Button, MultiSelect } from '@mantine/core';
import { IconDownload, IconFileInvoice } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { formatBalance, maxDecimals } from '../../format/money.ts';
import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { ColumnMoney, RowButton } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DayFields } from '../../ui/date-field.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { OverlaySpinner } from '../../ui/spinner.tsx';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { useTransactions, useExport, useReconciliation } from './api.ts';
import { type Choice, isEmpty, isKind, NO_CHOICE } from './choice.ts';
import { toMonth } from './month.ts';
import { transactionsScreen, transactionsSearch } from './screen.ts';
import { subjectText } from './subject-text.ts';
import classes from './transactions-filter.module.css';

const monthDialog = lazyPart(async () => (await import('./month-dialog.tsx')).MonthDialog);
const receiptDialog = lazyPart(async () => (await import('./receipt-dialog.tsx')).ReceiptDialog);

export function TransactionsPage() {
  const [{ page = 1, kind = [], from = '', to = '', month, receipt }, change] = useScreenSearch(transactionsScreen);
  const choice: Choice = { kinds: kind.filter(isKind), from, to };
  const showMonth = (chosen: string | undefined) => change({ month: chosen });
  const { t } = useTranslation('transaction');
  const transactions = useTransactions(choice, page);
  const [MonthDialog, loadMonthDialog] = useLazyPart(monthDialog);
  const isMonthShown = month !== undefined;
  useEffect(() => {
    if (isMonthShown) loadMonthDialog();
  }, [isMonthShown, loadMonthDialog]);
  const [ReceiptDialog, loadReceiptDialog] = useLazyPart(receiptDialog);
  const isReceiptShown = receipt !== undefined;
  useEffect(() => {
    if (isReceiptShown) loadReceiptDialog();
  }, [isReceiptShown, loadReceiptDialog]);
  return (
    <>
      <TransactionsFilter
        choice={choice}
        onChange={({ kinds, ...days }) => change(transactionsSearch({ kind: kinds, ...days }), { replace: true })}
        onMonth={() => showMonth(toMonth(new Date()))}
      />
      <PagedList
        list={transactions}
        page={page}
        onPage={(chosen) => change({ page: chosen, month: undefined, receipt: undefined })}
        failureText={t('table.failed')}
        empty={<NoTransactions isFiltered={!isEmpty(choice)} />}
      >
        {(rows) => <TransactionsTable transactions={rows} onReceipt={(number) => change({ receipt: number })} />}
      </PagedList>
      <ReconciliationLine />
      {MonthDialog !== undefined && <MonthDialog month={month} onMonth={showMonth} />}
      {MonthDialog === undefined && isMonthShown && <OverlaySpinner />}
      {ReceiptDialog !== undefined && (
        <ReceiptDialog number={receipt} onClose={() => change({ receipt: undefined }, { replace: true })} />
      )}
      {ReceiptDialog === undefined && isReceiptShown && <OverlaySpinner />}
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

interface TransactionsFilterProps {
  choice: Choice;
  onChange: (choice: Choice) => void;
  /** Opens a monthly statement. */
  onMonth: () => void;
}

/** Applied immediately and kept in the URL. */
function TransactionsFilter({ choice, onChange, onMonth }: TransactionsFilterProps) {
  const { t } = useTranslation('transaction');
  const exporting = useExport();
  const { kinds, from, to } = choice;
  return (
    <section className={classes['panel']} aria-label={t('filter.title')}>
      <div className={classes['fields']}>
        <MultiSelect
          className={classes['kinds'] ?? ''}
          label={t('filter.kind')}
          placeholder={kinds.length === 0 ? t('filter.allKinds') : ''}
          data={transactionKinds.map((kind) => ({ value: kind, label: t(`kinds.${kind}`) }))}
          value={kinds}
          onChange={(values) => onChange({ ...choice, kinds: values.filter(isKind) })}
          withScrollArea={false}
        />
        <DayFields
          from={from}
          to={to}
          texts={{ from: t('filter.from'), to: t('filter.to'), reversed: t('filter.reversed') }}
          onChange={(days) => onChange({ ...choice, ...days })}
        />
      </div>
      <div className={classes['actions']}>
        {!isEmpty(choice) && (
          <Button variant="default" onClick={() => onChange(NO_CHOICE)}>
            {t('filter.reset')}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconFileInvoice size={18} stroke={1.6} aria-hidden="true" />}
          onClick={onMonth}
        >
          {t('month.title')}
        </Button>
        <Button
          variant="default"
          loading={exporting.isRunning}
          leftSection={<IconDownload size={18} stroke={1.6} aria-hidden="true" />}
          onClick={() => void exporting.run(choice)}
        >
          {t('export')}
        </Button>
      </div>
    </section>
  );
}

interface TransactionsTableProps {
  transactions: readonly Transaction[] | undefined;
  onReceipt: (number: number) => void;
}

function TransactionsTable({ transactions, onReceipt }: TransactionsTableProps) {
  const { t } = useTranslation(['transaction', 'payment']);
  const decimals = maxDecimals((transactions ?? []).map(({ amount }) => amount));
  const balances = (transactions ?? []).map(({ balanceAfter }) => balanceAfter);
  const balanceDecimals = maxDecimals(balances, formatBalance);
  const columns: Column<Transaction>[] = [
    {
      key: 'date',
      width: 8.75,
      header: t('table.date'),
      place: 'line',
      render: ({ createdAt }) => formatDate(createdAt),
    },
    { key: 'kind', width: 10.25, header: t('table.kind'), place: 'heading', render: ({ kind }) => t(`kinds.${kind}`) },
    {
      key: 'subject',
      width: 10.25,
      header: t('table.subject'),
      place: 'line',
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
      place: 'line',
      renderInCard: ({ balanceAfter }) => t('table.balanceThen', { amount: formatBalance(balanceAfter) }),
      render: ({ balanceAfter }) => (
        <ColumnMoney dollars={balanceAfter} format={formatBalance} decimals={balanceDecimals} />
      ),
    },
  ];
  if (transactions?.some(hasReceipt) === true)
    columns.push({
      key: 'receipt',
      width: 6,
      header: t('receipt.button'),
      place: 'action',
      render: (row) =>
        hasReceipt(row) && (
          <RowButton
            text={t('receipt.button')}
            label={t('receipt.title', { number: row.receipt })}
            variant="default"
            onClick={() => onReceipt(row.receipt)}
          />
        ),
    });
  return <DataTable label={t('table.label')} columns={columns} rows={transactions} rowKey={({ id }) => id} />;
}

const hasReceipt = (row: Transaction): row is Transaction & { receipt: number } => typeof row.receipt === 'number';

const tones: Record<'OK' | 'BROKEN' | 'NEVER_RUN', Tone> = { OK: 'good', BROKEN: 'bad', NEVER_RUN: 'neutral' };

/** For staff: the state of the reconciliation of all money, not only of the rows above it. */
function ReconciliationLine() {
  const { t } = useTranslation('transaction');
  const reconciliation = useReconciliation();
  if (reconciliation === undefined) return null;
  const { status, checkedAt, violationCount, violations } = reconciliation;
  return (
    <footer className={classes['line']}>
      <StatusBadge tone={tones[status]} text={t(`reconciliation.${status}`, { count: violationCount })} />
      {checkedAt !== null && <span>{t('reconciliation.checkedAt', { date: formatDate(checkedAt) })}</span>}
      {violations.length > 0 && (
        <ul className={classes['violations']}>
          {violations.map((violation) => (
            <li key={violation}>{violation}</li>
          ))}
        </ul>
      )}
    </footer>
  );
}
