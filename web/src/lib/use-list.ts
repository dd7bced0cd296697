import type { ApiError } from '@cellhop/contract/client';
import type { UseQueryOptions } from '@tanstack/react-query';
import { type AnswerOptions, type LoadedAnswer, useAnswer } from './use-answer.ts';

interface ListAnswer<Row> {
  data: readonly Row[];
  /** Not every list has pages. */
  totalPages?: number;
}

export interface List<Row> extends Pick<LoadedAnswer<unknown>, 'error' | 'failure' | 'isFetching' | 'refetch'> {
  /** Undefined until they have arrived: rows of another page or filter are not shown in their place. */
  rows: readonly Row[] | undefined;
  /** Of the answer before while another page is on its way, so that the pages stay in sight. */
  totalPages: number;
}

interface ListOptions<Row> {
  isEnabled?: boolean;
  isBusy?: (row: Row) => boolean;
}

type RowOf<Answer extends ListAnswer<unknown>> = Answer['data'][number];

/** A list of the API, or a page of it; `PagedList` (ui/paged-list.tsx) shows it. */
export function useList<Answer extends ListAnswer<unknown>>(
  query: UseQueryOptions<Answer, ApiError>,
  options: ListOptions<RowOf<Answer>> = {},
): List<RowOf<Answer>> {
  // The compiler does not see that an answer is a list of its own rows.
  const rowsQuery = query as unknown as UseQueryOptions<ListAnswer<RowOf<Answer>>, ApiError>;
  return toList(useAnswer(rowsQuery, listOptions(options)));
}

/** The part of `useList` that chooses how a list is kept up to date. */
export function listOptions<Row>({ isBusy, ...options }: ListOptions<Row>): AnswerOptions<ListAnswer<Row>> {
  return { ...options, keepsPrevious: true, ...(isBusy && { isBusy: ({ data }) => data.some(isBusy) }) };
}

/** The part of `useList` that says what there is to show. */
export function toList<Row>({ answer, isPrevious, ...loaded }: LoadedAnswer<ListAnswer<Row>>): List<Row> {
  return { ...loaded, rows: isPrevious ? undefined : answer?.data, totalPages: answer?.totalPages ?? 0 };
}
