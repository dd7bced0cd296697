/** Selected rows of a list: the column with the checkboxes, and the bar with the actions. */
import { Button, Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import type { Column } from '../../ui/data-table.tsx';
import classes from './row-selection.module.css';

interface SelectionOptions<Row> {
  /** The shown ones; undefined while they load. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string;
  /** Names a row for screen readers. */
  nameOf: (row: Row) => string;
  /** Other rows have no checkbox. */
  canChoose?: (row: Row) => boolean;
  /** Those that are chosen before the member of staff changes anything. */
  isFirst?: (row: Row) => boolean;
}

export interface RowSelection<Row> {
  /** Always rows that are shown: what has left the page is not chosen any more. */
  chosen: readonly Row[];
  /** Rows that could be chosen. */
  total: number;
  column: Column<Row>;
  chooseAll: () => void;
  clear: () => void;
}

const NONE: ReadonlySet<string> = new Set();

export function useRowSelection<Row>(options: SelectionOptions<Row>): RowSelection<Row> {
  const { rows = [], keyOf, nameOf, canChoose = () => true, isFirst } = options;
  const { t } = useTranslation('staff');
  const [keys, setKeys] = useState<ReadonlySet<string>>();
  const choosable = rows.filter(canChoose);
  const first = isFirst === undefined ? NONE : new Set(choosable.filter(isFirst).map(keyOf));
  const chosenKeys = keys ?? first;
  const chosen = choosable.filter((row) => chosenKeys.has(keyOf(row)));
  const isAll = choosable.length > 0 && chosen.length === choosable.length;

  const clear = () => setKeys(NONE);
  const chooseAll = () => setKeys(new Set(choosable.map(keyOf)));
  function choose(row: Row, isChosen: boolean): void {
    // Only of the shown rows, so that those of a page before never come back.
    const others = chosen.map(keyOf).filter((key) => key !== keyOf(row));
    setKeys(new Set(isChosen ? [...others, keyOf(row)] : others));
  }

  const column: Column<Row> = {
    key: 'choice',
    header: t('selection.all'),
    width: 3.2,
    place: 'heading',
    renderHeader: () => (
      <Checkbox
        size="sm"
        className={classes['box'] ?? ''}
        aria-label={t('selection.all')}
        checked={isAll}
        indeterminate={chosen.length > 0 && !isAll}
        disabled={choosable.length === 0}
        onChange={isAll ? clear : chooseAll}
      />
    ),
    render: (row) =>
      canChoose(row) && (
        <Checkbox
          size="sm"
          className={classes['box'] ?? ''}
          aria-label={t('selection.row', { name: nameOf(row) })}
          checked={chosenKeys.has(keyOf(row))}
          onChange={({ currentTarget }) => choose(row, currentTarget.checked)}
        />
      ),
  };
  return { chosen, total: choosable.length, column, chooseAll, clear };
}

interface SelectionBarProps {
  selection: Pick<RowSelection<unknown>, 'chosen' | 'total' | 'chooseAll' | 'clear'>;
  /** The actions. */
  children: ReactNode;
}

/** Stays at the bottom of the window while rows are chosen. */
export function SelectionBar({ selection: { chosen, total, chooseAll, clear }, children }: SelectionBarProps) {
  const { t } = useTranslation('staff');
  if (chosen.length === 0) return null;
  return (
    <section className={classes['bar']} aria-label={t('selection.label')}>
      <output>{t('selection.count', { count: chosen.length, number: formatCount(chosen.length) })}</output>
      {children}
      {chosen.length < total && (
        <Button variant="default" onClick={chooseAll}>
          {t('selection.allShort')}
        </Button>
      )}
      <Button variant="default" onClick={clear}>
        {t('selection.clear')}
      </Button>
    </section>
  );
}
