import { transactionKinds } from '@cellhop/contract/transactions.values';
import { Button, MultiSelect } from '@mantine/core';
import { IconDownload, IconFileInvoice } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { DateField } from '../../ui/date-field.tsx';
import { useExport } from './api.ts';
import { type Choice, isEmpty, isKind, NO_CHOICE } from './choice.ts';
import classes from './transactions-filter.module.css';

interface TransactionsFilterProps {
  choice: Choice;
  onChange: (choice: Choice) => void;
  /** Opens a monthly statement. */
  onMonth: () => void;
}

/** Applied immediately and kept in the URL. */
export function TransactionsFilter({ choice, onChange, onMonth }: TransactionsFilterProps) {
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
        <DateField
          label={t('filter.from')}
          value={from}
          max={to === '' ? undefined : to}
          onChange={(day) => day !== undefined && onChange({ ...choice, from: day })}
        />
        <DateField
          label={t('filter.to')}
          value={to}
          min={from === '' ? undefined : from}
          error={from !== '' && to !== '' && from > to ? t('filter.reversed') : undefined}
          onChange={(day) => day !== undefined && onChange({ ...choice, to: day })}
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
