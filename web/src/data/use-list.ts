import type { ApiError } from '@cellhop/contract/client';
import type { QueryKey, UseQueryOptions } from '@tanstack/react-query';
import { queryClient } from './query.ts';
import { type ApiQueryOptions, type ApiQueryState, useApiQuery } from './use-api-query.ts';

interface ListResponse<Row> {
  data: readonly Row[];
  /** Not every list has pages. */
  totalPages?: number;
  /** Lists of staff only. */
  isTruncated?: boolean;
}

export interface List<Row> extends Pick<ApiQueryState<unknown>, 'error' | 'failure' | 'isFetching' | 'refetch'> {
  /** Undefined until they are loaded: rows of another page or filter are not shown instead. */
  rows: readonly Row[] | undefined;
  /** Keeps the previous number while another page loads, so that the pager stays visible. */
  totalPages: number;
  /** There are more rows than can be paged through; narrower filters find them. */
  isTruncated: boolean;
}

interface ListOptions<Row> {
  isEnabled?: boolean;
  isPolled?: boolean;
  isBusy?: (row: Row) => boolean;
}

type RowOf<Data extends ListResponse<unknown>> = Data['data'][number];

/** A list of the API, or a page of it; `PagedList` (ui/paged-list.tsx) renders it. */
export function useList<Data extends ListResponse<unknown>>(
  query: UseQueryOptions<Data, ApiError>,
  options: ListOptions<RowOf<Data>> = {},
): List<RowOf<Data>> {
  // TypeScript cannot derive that `Data` is a list of its own row type.
  const rowsQuery = query as unknown as UseQueryOptions<ListResponse<RowOf<Data>>, ApiError>;
  return toList(useApiQuery(rowsQuery, listOptions(options)));
}

/** The part of `useList` that decides how a list is kept up to date. Exported for tests. */
export function listOptions<Row>({ isBusy, ...options }: ListOptions<Row>): ApiQueryOptions<ListResponse<Row>> {
  return { ...options, keepsPrevious: true, ...(isBusy && { isBusy: ({ data }) => data.some(isBusy) }) };
}

/** The part of `useList` that decides what to show. Exported for tests. */
export function toList<Row>({ response, isPrevious, ...loaded }: ApiQueryState<ListResponse<Row>>): List<Row> {
  const { data, totalPages = 0, isTruncated = false } = response ?? {};
  return { ...loaded, rows: isPrevious ? undefined : data, totalPages, isTruncated };
}

/** Puts a new row in front of the cached first page of a list. A live event may have brought it before. */
export function prependRow(queryKey: QueryKey, row: { id: string }): void {
  queryClient.setQueryData<{ data: { id: string }[]; totalPages: number }>(queryKey, (response) =>
    response === undefined
      ? response
      : {
          totalPages: Math.max(1, response.totalPages),
          data: [row, ...response.data.filter(({ id }) => id !== row.id)],
        },
  );
}
