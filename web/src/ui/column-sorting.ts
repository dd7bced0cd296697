import type { SortDirection, SortingState } from '@tanstack/react-table';

export type ColumnOrder = 'ascending' | 'descending';

/**
 * How the rows of a list are sorted, as addresses and the API write it: `spent` or, from the greatest down, `-spent`. One
 * column at a time.
 */
export function toSorting(sort: string | undefined): SortingState {
  if (sort === undefined) return [];
  const desc = sort.startsWith('-');
  return [{ id: desc ? sort.slice(1) : sort, desc }];
}

export function toSort([column]: SortingState): string | undefined {
  return column && writeSort(column.id, column.desc ? 'descending' : 'ascending');
}

export function writeSort(key: string, order: ColumnOrder): string {
  return order === 'descending' ? `-${key}` : key;
}

/** As `aria-sort` has it. */
export function toOrder(direction: SortDirection | false): ColumnOrder | undefined {
  return direction === false ? undefined : direction === 'asc' ? 'ascending' : 'descending';
}
