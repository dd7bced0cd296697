import type { ApiError } from '@cellhop/contract/client';
import type { UseQueryOptions } from '@tanstack/react-query';
import { useLastDefined } from '../hooks/use-last-value.ts';
import { useList } from './use-list.ts';

interface ListedRowOptions<Row, Data> {
  /** Undefined: none is open. */
  id: string | undefined;
  /** Of the list that is shown; undefined while it loads. */
  rows: readonly Row[] | undefined;
  /** Asks for the row alone, when the list does not have it. */
  query: UseQueryOptions<Data, ApiError>;
  isBusy: (row: Row) => boolean;
}

/**
 * A row that is open in a dialog: of the list, or one that a link names. One that leaves the list, such as a connection that ends in a
 * list of active ones, stays as it was until it is loaded alone: otherwise its dialog would close for a moment.
 */
export function useListedRow<Row extends { id: string }, Data extends { data: Row[]; totalPages: number }>({
  id,
  rows,
  query,
  isBusy,
}: ListedRowOptions<Row, Data>) {
  const listed = rows?.find((row) => row.id === id);
  const isElsewhere = id !== undefined && rows !== undefined && listed === undefined;
  const alone: readonly Row[] | undefined = useList(query, { isEnabled: isElsewhere, isBusy }).rows;
  const known = listed ?? alone?.[0];
  const last = useLastDefined(known);
  const isMissing = listed === undefined && alone?.length === 0;
  return { row: known ?? (last?.id === id && !isMissing ? last : undefined), isMissing };
}
