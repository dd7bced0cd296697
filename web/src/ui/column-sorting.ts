import type { SortDirection, SortingState } from '@tanstack/react-table';

export type ColumnOrder = 'ascending' | 'descending';

/** The sort order in URLs and the API: `spent` for ascending, `-spent` for descending. One column at a time. */
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

/** Values of `aria-sort`. */
export function toOrder(direction: SortDirection | false): ColumnOrder | undefined {
  return direction === false ? undefined : direction === 'asc' ? 'ascending' : 'descending';
}
