import type { ApiError } from '@cellhop/contract/client';
import { keepPreviousData, useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { usePollInterval, type Polled } from '../live/live.ts';
import { dependsOn, isStreamed, requestedAt } from './query.ts';

export interface ApiQueryOptions<Data> {
  isEnabled?: boolean;
  /** Keeps the response of the previous page or filter until the next one is loaded. */
  keepsPrevious?: boolean;
  /** Fetched periodically while it is shown. Default: queries with topics of live events, in case events are missed. */
  isPolled?: boolean;
  /** Polled more often while the shown data involves money or unfinished work. */
  isBusy?: (response: Data) => boolean;
}

/** For `LoadFailure` (ui/list-state.tsx). */
export interface Failure {
  error: ApiError;
  isRetrying: boolean;
  onRetry: () => void;
}

export interface ApiQueryState<Data> {
  response: Data | undefined;
  isPrevious: boolean;
  isFetching: boolean;
  /** Error of the last fetch, even if an older response is shown. */
  error: ApiError | null;
  /** Set only if there is no response to show. */
  failure: Failure | undefined;
  refetch: () => void;
}

/** A response of the API, kept up to date by live events, the app's own actions (`useAction`) and polling. */
export function useApiQuery<Data>(
  query: UseQueryOptions<Data, ApiError>,
  options: ApiQueryOptions<Data> = {},
): ApiQueryState<Data> {
  const pollInterval = usePollInterval();
  return toQueryState(useQuery(observerOptions(query, options, pollInterval)));
}

/** The part of `useApiQuery` that decides how a query is kept up to date. Exported for tests. */
export function observerOptions<Data>(
  query: UseQueryOptions<Data, ApiError>,
  options: ApiQueryOptions<Data>,
  pollInterval: (polled: Polled) => number,
): UseQueryOptions<Data, ApiError> {
  const isAnnounced = dependsOn(query.meta, isStreamed);
  const { isEnabled = true, keepsPrevious = false, isPolled = isAnnounced, isBusy } = options;
  const hasBusy = (data: Data | undefined) => data !== undefined && isBusy?.(data) === true;
  return {
    ...query,
    enabled: isEnabled,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    refetchInterval: (shown) =>
      isPolled && pollInterval({ isAnnounced, isBusy: hasBusy(shown.state.data), requestedAt: requestedAt(shown) }),
  };
}

/** The part of `useApiQuery` that decides what to show. Exported for tests. */
export function toQueryState<Data>(
  result: Pick<UseQueryResult<Data, ApiError>, 'data' | 'error' | 'isFetching' | 'isPlaceholderData' | 'refetch'>,
): ApiQueryState<Data> {
  const { data: response, error, isFetching, isPlaceholderData: isPrevious } = result;
  const refetch = () => void result.refetch();
  const isMissing = error !== null && response === undefined;
  return {
    response,
    isPrevious,
    isFetching,
    error,
    failure: isMissing ? { error, isRetrying: isFetching, onRetry: refetch } : undefined,
    refetch,
  };
}
