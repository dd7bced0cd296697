import type { ImportError } from '@cellhop/contract/staff/inventory';
import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import classes from './import-errors.module.css';

interface ImportErrorsProps {
  /** The first ones. */
  errors: readonly ImportError[];
  errorCount: number;
}

export function ImportErrors({ errors, errorCount }: ImportErrorsProps) {
  const { t } = useTranslation('staffInventory');
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      title={t('import.mistakes', { count: errorCount, number: formatCount(errorCount) })}
    >
      {errorCount > errors.length && t('import.first', { number: formatCount(errors.length) })}
      <ul className={classes['list']} aria-label={t('import.mistakesLabel')}>
        {errors.map(({ line, column, problem, value }) => (
          <li key={`${line} ${column} ${problem}`}>
            <span className={classes['place']}>
              {column === null ? t('import.line', { line }) : t('import.lineAndColumn', { line, column })}
            </span>{' '}
            {t(`problems.${problem}`)}
            {value !== null && value !== '' && ` (${value})`}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
