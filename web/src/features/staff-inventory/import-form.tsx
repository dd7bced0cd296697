import { BYTES_PER_MEGABYTE, IMPORT_BYTES_MAX, IMPORT_ERRORS_COUNTED_MAX } from '@cellhop/contract/limits';
import type { CheckedImport, ImportError } from '@cellhop/contract/staff/inventory';
import { importColumns, optionalColumns } from '@cellhop/contract/staff/inventory.values';
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { formatCount } from '../../format/format.ts';
import { FileField } from '../../ui/file-field.tsx';
import { useApplyImport, useCheckImport } from './api.ts';
import classes from './import-form.module.css';

/** Checks the file, shows the counts or the errors, and imports only after a confirmation. */
export function ImportForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['staffInventory', 'common']);
  const checking = useCheckImport();
  const applying = useApplyImport();
  const [file, setFile] = useState<File>();
  const isTooLarge = file !== undefined && file.size > IMPORT_BYTES_MAX;
  const checked = checking.result;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (file !== undefined) void checking.run(file);
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t('import.text')}</Text>
        <Code block className={classes['columns'] ?? ''}>
          {[...importColumns, ...optionalColumns].join(',')}
        </Code>
        <FileField
          label={t('import.file')}
          file={file}
          accept=".csv,.tsv,.txt,.json,text/csv,text/tab-separated-values,text/plain,application/json"
          error={isTooLarge ? t('import.tooLarge', { megabytes: IMPORT_BYTES_MAX / BYTES_PER_MEGABYTE }) : undefined}
          onChoose={(chosen) => {
            setFile(chosen);
            checking.reset();
          }}
        />
        <ImportResult checked={checked} error={checking.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          {checked?.id == null ? (
            <Button type="submit" disabled={file === undefined || isTooLarge} loading={checking.isRunning}>
              {t('import.check')}
            </Button>
          ) : (
            <Button
              disabled={checked.newCount + checked.changedCount === 0}
              loading={applying.isRunning}
              onClick={() => checked.id !== null && void applying.run(checked.id, { onSuccess: onClose })}
            >
              {t('import.apply', { number: formatCount(checked.newCount + checked.changedCount) })}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function ImportResult({ checked, error }: { checked: CheckedImport | undefined; error: Error | null }) {
  const { t } = useTranslation('staffInventory');
  if (error !== null)
    return (
      <Alert role="alert" color="red" variant="light">
        {errorText(error)}
      </Alert>
    );
  if (checked === undefined) return null;
  if (checked.id === null) return <ImportErrors errors={checked.errors} errorCount={checked.errorCount} />;
  const counts = {
    newCount: formatCount(checked.newCount),
    changedCount: formatCount(checked.changedCount),
    unchangedCount: formatCount(checked.unchangedCount),
  };
  return <Alert variant="light">{t('import.counts', counts)}</Alert>;
}

interface ImportErrorsProps {
  /** The first ones. */
  errors: readonly ImportError[];
  errorCount: number;
}

function ImportErrors({ errors, errorCount }: ImportErrorsProps) {
  const { t } = useTranslation('staffInventory');
  const number = formatCount(errorCount);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      title={
        errorCount < IMPORT_ERRORS_COUNTED_MAX
          ? t('import.mistakes', { count: errorCount, number })
          : t('import.tooManyMistakes', { number })
      }
    >
      {errorCount > errors.length && t('import.first', { number: formatCount(errors.length) })}
      <ul className={classes['list']} aria-label={t('import.mistakesLabel')}>
        {errors.map(({ line, column, problem, value }) => (
          <li key={`${line} ${column} ${problem} ${value}`}>
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
