import { ApiError } from '@cellhop/contract/client';
import type { EndpointInput, EndpointKey, EndpointOutput } from '@cellhop/contract/endpoints';
import { PAGE_SIZE } from '@cellhop/contract/limits';
import { liveTopics, type LiveTopic, type StaffTopic } from '@cellhop/contract/live.values';
import { focusManager, onlineManager, type Query, QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http.ts';
import { clearToasts } from '../ui/toasts.ts';
import { currentSession, tokens } from '../session/tokens.ts';
import { isOnline, subscribeToNetwork } from './network.ts';

/** Dependencies of queries: the topics of live events, and topics that only this app uses. */
export type Topic =
  | LiveTopic
  | StaffTopic
  | 'account'
  | 'catalogue'
  | 'roles'
  | 'broadcasts'
  | 'faq'
  | 'promoCodes'
  | 'jobs';

/** The `meta` of each query. A type, because an interface is not assignable to the library's record type. */
export type Dependencies = {
  /** Topics that make the response stale, when a live event or an action names them. */
  topics?: readonly Topic[];
  /** Minimum interval between refetches by live events. */
  throttleMs?: number;
};

/** Longer, because staff lists change with every customer. */
const STAFF_THROTTLE_MS = 3000;
/** Sums over many charges are more expensive for the server than a page of a list. */
export const SUMS_THROTTLE_MS = 5000;

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: Dependencies;
  }
}

/** For a longer wait, the failure is shown at once, with a retry button. */
const LONGEST_RETRY_SECONDS = 5;

/**
 * Whether a query is tried once more before its failure is shown. Most errors of the server are final, and a timeout of
 * ten seconds is long enough; but a busy server, or one that starts again, says when it can respond (RFC 9110, 10.2.3).
 */
function isTemporary(error: Error): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code === 'NETWORK') return true;
  return error.code === 'UNAVAILABLE' && (error.retryAfterSeconds ?? Infinity) <= LONGEST_RETRY_SECONDS;
}

/** Up to a second later than the server says, so that the browsers of all users do not return at once. */
function retryDelayMs(error: Error): number {
  const seconds = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(seconds, 1) * 1000 + Math.random() * 1000;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      retry: (failures, error) => failures < 1 && isTemporary(error),
      retryDelay: (_failures, error) => retryDelayMs(error),
      // Only a request tells whether there is a network.
      networkMode: 'always',
      refetchOnReconnect: 'always',
    },
    // Without a network an action fails immediately: it must not run later, when the user does not expect it.
    mutations: { networkMode: 'always' },
  },
});
onlineManager.setEventListener((setOnline) => subscribeToNetwork(() => setOnline(isOnline())));

const requestTimes = new WeakMap<object, number>();
queryClient.getQueryCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'fetch') requestTimes.set(event.query, Date.now());
});

/** When a query was last requested, in milliseconds since the epoch. */
export function requestedAt(query: object): number {
  return requestTimes.get(query) ?? 0;
}

let session = currentSession();

/**
 * The next user of this browser must not see data of the previous one. A frozen tab may learn of a sign-out only
 * together with the next sign-in. Running queries write into the cleared cache, which nothing shows.
 */
tokens.subscribe(() => {
  const next = currentSession();
  if (next === session) return;
  session = next;
  queryClient.clear();
  clearToasts();
});

type QueryOf<Input> = Input extends { query?: infer Query } ? NonNullable<Query> : unknown;
/** The product specification requires page and size in the calls of lists, although the API has defaults. */
type Paged<Input> = 'page' extends keyof QueryOf<Input> ? { query: { page: number; size: number } } : unknown;

export function apiQuery<const K extends EndpointKey>(
  key: K,
  input: EndpointInput<K> & Paged<EndpointInput<K>>,
  dependencies: Dependencies = {},
) {
  return queryOptions<EndpointOutput<K>, ApiError>({
    queryKey: [key, input],
    meta: dependencies,
    queryFn: ({ signal }) => call(key, input, { signal }),
  });
}

/**
 * For a query that each visit of its screen prefetches: the screen uses that response even if its code takes seconds
 * to load, unless an event or an action made it stale.
 */
export function prefetched<Q extends object>(query: Q) {
  return { ...query, refetchOnMount: ({ state }: { state: { isInvalidated: boolean } }) => state.isInvalidated };
}

/** The topics of staff lists. */
export function staffDependencies(...topics: Topic[]): Dependencies {
  return { topics, throttleMs: STAFF_THROTTLE_MS };
}

/** Which part of a list is shown. */
export function pageQuery(page: number): { page: number; size: number } {
  return { page, size: PAGE_SIZE };
}

/** Refetches queries with these topics: visible ones immediately, others when they are shown again. */
export function invalidate(topics: readonly Topic[]): Promise<void> {
  return refetchStale(({ meta }) => dependsOn(meta, (topic) => topics.includes(topic)));
}

/**
 * Refetches queries after a change: visible ones immediately, others when they are shown again. A response that was
 * requested before the change may not contain it. The library cancels the requests of shown data that it refetches;
 * other responses would count as up to date, so these queries are refetched after them.
 */
export async function refetchStale(isStale: (query: Query) => boolean): Promise<void> {
  // Queries of a hidden tab are fetched when it becomes visible.
  const refetchType = focusManager.isFocused() ? 'active' : 'none';
  const isRestarted = (query: Query) => query.state.data !== undefined && query.isActive() && refetchType === 'active';
  const running = queryClient.getQueryCache().findAll({
    predicate: (query) => isStale(query) && !isRestarted(query),
    fetchStatus: 'fetching',
  });
  const refetch = (predicate: (query: Query) => boolean) => queryClient.invalidateQueries({ predicate, refetchType });
  await Promise.all([
    refetch((query) => isStale(query) && !running.includes(query)),
    ...running.map(async (query) => {
      // Joins the running request.
      await query.fetch().catch(() => undefined);
      await refetch((each) => each === query);
    }),
  ]);
}

export function dependsOn(dependencies: Dependencies | undefined, matches: (topic: Topic) => boolean): boolean {
  return dependencies?.topics?.some(matches) === true;
}

/** Whether live events announce the topic. Those of staff have a prefix, so that customers do not load the list of them. */
export function isStreamed(topic: string): boolean {
  return topic.startsWith('staff-') || liveTopics.some((each) => each === topic);
}
