import type { ApiError } from '@cellhop/contract/client';
import { liveTopics } from '@cellhop/contract/live.plain';
import { keepPreviousData, useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { usePollInterval } from './live.ts';
import { dependsOn } from './query.ts';

export interface AnswerOptions<Answer> {
  isEnabled?: boolean;
  /** Gives the answer of the page or filter before, until the next one has arrived. */
  keepsPrevious?: boolean;
  /** Asked for again by itself while it is shown. Unless said otherwise: what live events tell of, for those that were missed. */
  isPolled?: boolean;
  /** While what it shows costs or brings money, it is asked for more often. */
  isBusy?: (answer: Answer) => boolean;
}

/** For `LoadFailure` (ui/list-state.tsx). */
export interface Failure {
  error: ApiError;
  isRetrying: boolean;
  onRetry: () => void;
}

export interface LoadedAnswer<Answer> {
  answer: Answer | undefined;
  isPrevious: boolean;
  isFetching: boolean;
  /** Of the last try, also when an older answer is shown. */
  error: ApiError | null;
  /** Where there is nothing to show. */
  failure: Failure | undefined;
  refetch: () => void;
}

/** What the API answers, kept up to date: by live events, by the app's own actions (`useAction`), and by polling. */
export function useAnswer<Answer>(
  query: UseQueryOptions<Answer, ApiError>,
  options: AnswerOptions<Answer> = {},
): LoadedAnswer<Answer> {
  const pollInterval = usePollInterval();
  return loadedAnswer(useQuery(observed(query, options, pollInterval)));
}

/** The part of `useAnswer` that chooses how a query is kept up to date. */
export function observed<Answer>(
  query: UseQueryOptions<Answer, ApiError>,
  options: AnswerOptions<Answer>,
  pollInterval: (isBusy: boolean) => number,
): UseQueryOptions<Answer, ApiError> {
  const { isEnabled = true, keepsPrevious = false, isPolled = dependsOn(query.meta, liveTopics), isBusy } = options;
  return {
    ...query,
    enabled: isEnabled,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    refetchInterval: ({ state: { data } }) => isPolled && pollInterval(data !== undefined && isBusy?.(data) === true),
  };
}

/** The part of `useAnswer` that says what there is to show. */
export function loadedAnswer<Answer>(
  result: Pick<UseQueryResult<Answer, ApiError>, 'data' | 'error' | 'isFetching' | 'isPlaceholderData' | 'refetch'>,
): LoadedAnswer<Answer> {
  const { data: answer, error, isFetching, isPlaceholderData: isPrevious } = result;
  const refetch = () => void result.refetch();
  const isMissing = error !== null && answer === undefined;
  return {
    answer,
    isPrevious,
    isFetching,
    error,
    failure: isMissing ? { error, isRetrying: isFetching, onRetry: refetch } : undefined,
    refetch,
  };
}
