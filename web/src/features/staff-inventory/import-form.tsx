import { BYTES_PER_MEGABYTE, IMPORT_BYTES_MAX, IMPORT_ERRORS_COUNTED_MAX } from '@cellhop/contract/limits';
import type { CheckedImport, ImportError } from '@cellhop/contract/staff/inventory';
import { importColumns, type LineOrder, lineOrders, optionalColumns } from '@cellhop/contract/staff/inventory.values';
import { Alert, Button, Code, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { formatCount } from '../../format/format.ts';
import { oneOf } from '../../loading/search-values.ts';
import { FileField } from '../../ui/file-field.tsx';
import { useApplyImport, useCheckImport } from './api.ts';
import { DefaultFields, noDefaults, toDefaults } from './import-defaults.tsx';
import classes from './import-form.module.css';
import { ImportPreview } from './import-preview.tsx';

/** Checks the file, shows the counts or the errors, and imports only after a confirmation. */
export function ImportForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['staffInventory', 'common']);
  const checking = useCheckImport();
  const [file, setFile] = useState<File>();
  const [texts, setTexts] = useState(noDefaults);
  const [order, setOrder] = useState<LineOrder>();
  const defaults = toDefaults(texts);
  const isTooLarge = file !== undefined && file.size > IMPORT_BYTES_MAX;
  const isReady = file !== undefined && !isTooLarge && defaults !== undefined;
  const checked = checking.result;
  const isOrderAsked = order !== undefined || asksForOrder(checked?.errors);

  function check(chosen = order): void {
    if (file !== undefined && defaults !== undefined)
      void checking.run({ file, defaults: { ...defaults, order: chosen } });
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        check();
      }}
    >
      <Stack>
        <FormatText />
        <FileField
          label={t('import.file')}
          file={file}
          accept=".csv,.tsv,.txt,.json,text/csv,text/tab-separated-values,text/plain,application/json"
          error={isTooLarge ? t('import.tooLarge', { megabytes: IMPORT_BYTES_MAX / BYTES_PER_MEGABYTE }) : undefined}
          onChoose={(chosen) => {
            setFile(chosen);
            setOrder(undefined);
            checking.reset();
          }}
        />
        <DefaultFields
          texts={texts}
          onChange={(changed) => {
            setTexts(changed);
            checking.reset();
          }}
        />
        {isOrderAsked && (
          <OrderField
            order={order}
            onChange={(chosen) => {
              setOrder(chosen);
              check(chosen);
            }}
          />
        )}
        <ImportResult checked={checked} error={checking.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          {checked?.id == null ? (
            <Button type="submit" disabled={!isReady} loading={checking.isRunning}>
              {t('import.check')}
            </Button>
          ) : (
            <ApplyButton id={checked.id} checked={checked} onApplied={onClose} />
          )}
        </Group>
      </Stack>
    </form>
  );
}

const asksForOrder = (errors: readonly ImportError[] = []) => errors.some(({ problem }) => problem === 'EITHER_ORDER');

function FormatText() {
  const { t } = useTranslation('staffInventory');
  return (
    <>
      <Text>{t('import.text')}</Text>
      <Code block className={classes['columns'] ?? ''}>
        {[...importColumns, ...optionalColumns].join(',')}
      </Code>
    </>
  );
}

function ApplyButton({ id, checked, onApplied }: { id: string; checked: CheckedImport; onApplied: () => void }) {
  const { t } = useTranslation('staffInventory');
  const applying = useApplyImport();
  const changeCount = checked.newCount + checked.changedCount + checked.waitingCount;
  return (
    <Button
      disabled={changeCount === 0}
      loading={applying.isRunning}
      onClick={() => void applying.run(id, { onSuccess: onApplied })}
    >
      {t('import.apply', { number: formatCount(changeCount) })}
    </Button>
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
  const counts = {
    newCount: formatCount(checked.newCount),
    changedCount: formatCount(checked.changedCount),
    unchangedCount: formatCount(checked.unchangedCount),
  };
  return (
    <>
      {checked.id === null ? (
        <ImportErrors errors={checked.errors} errorCount={checked.errorCount} />
      ) : (
        <Alert variant="light">
          {t('import.counts', counts)}
          {checked.waitingCount > 0 && ` ${t('import.waiting', { number: formatCount(checked.waitingCount) })}`}
        </Alert>
      )}
      <ImportPreview rows={checked.preview} />
    </>
  );
}

/** Lines that can be read in both orders: a guess would send passwords to a wrong host. */
function OrderField({ order, onChange }: { order: LineOrder | undefined; onChange: (order: LineOrder) => void }) {
  const { t } = useTranslation('staffInventory');
  return (
    <Radio.Group
      label={t('import.order')}
      value={order ?? ''}
      onChange={(value) => onChange(oneOf(value, lineOrders)!)}
    >
      <Stack gap="xs" mt="xs">
        {lineOrders.map((each) => (
          <Radio key={each} value={each} label={t(`import.orders.${each}`)} />
        ))}
      </Stack>
    </Radio.Group>
  );
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
