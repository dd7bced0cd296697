import { IconArrowDown, IconArrowsSort, IconArrowUp, IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './sort-controls.module.css';

interface SortButtonProps {
  header: string;
  /** Undefined if the list is sorted by another column. */
  order: ColumnOrder | undefined;
  onToggle: () => void;
}

const icons = { ascending: IconArrowUp, descending: IconArrowDown };

/** The header of a sortable column; its cell has `aria-sort`. */
export function SortButton({ header, order, onToggle }: SortButtonProps) {
  const Icon = order === undefined ? IconArrowsSort : icons[order];
  return (
    <button type="button" className={classes['button']} data-chosen={order !== undefined} onClick={onToggle}>
      {header}
      <Icon size={14} stroke={1.8} aria-hidden="true" />
    </button>
  );
}

interface SortSelectProps {
  columns: readonly { key: string; header: string; firstOrder?: ColumnOrder }[];
  sort: string | undefined;
  onSort: (sort: string) => void;
}

/** The same choice above a list of cards, which has no header row. */
export function SortSelect({ columns, sort, onSort }: SortSelectProps) {
  const { t } = useTranslation();
  const orders: ColumnOrder[] = ['descending', 'ascending'];
  return (
    <label className={classes['select']}>
      <span className={classes['by']}>{t('sorting.by')}</span>
      <span className={classes['choice']}>
        <select value={sort} onChange={({ currentTarget: { value } }) => onSort(value)}>
          {columns
            .filter(({ firstOrder }) => firstOrder !== undefined)
            .map(({ key, header }) =>
              orders.map((order) => (
                <option key={order} value={toSort(key, order)}>
                  {t(`sorting.${order}`, { column: header })}
                </option>
              )),
            )}
        </select>
        <IconChevronDown className={classes['arrow']} size={16} stroke={1.6} aria-hidden="true" />
      </span>
    </label>
  );
}

export type ColumnOrder = 'ascending' | 'descending';

/** The sort order in URLs and the API: `spent` for ascending, `-spent` for descending. One column at a time. */
export function toSort(key: string, order: ColumnOrder): string {
  return order === 'descending' ? `-${key}` : key;
}

/** @returns a value of `aria-sort`; undefined if the list is sorted by another column */
export function findOrder(sort: string | undefined, key: string): ColumnOrder | undefined {
  return (['ascending', 'descending'] as const).find((order) => toSort(key, order) === sort);
}
