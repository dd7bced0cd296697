import { ApiError } from '@cellhop/contract/client';
import type { Callable, ClientInput, Output } from '@cellhop/contract/endpoint';
import type { LiveTopic } from '@cellhop/contract/live.plain';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http.ts';
import { clearToasts } from './toasts.ts';
import { currentSession, tokens } from './tokens.ts';

/** What answers of the API depend on: the topics of live events, and what this app alone tells of. */
export type Topic = LiveTopic | 'account' | 'catalogue';

/** Travels with each query as its `meta`. A type, because an interface is no record for the library. */
export type Dependencies = {
  /** What makes the answer stale: a live event or an action names its topics. */
  topics?: readonly Topic[];
  /** Live events make it stale at most once in this time. */
  spacingMs?: number;
};

/** Sums over many charges cost the server more than a page of a list, and charts are read slowly. */
export const SUMS_SPACING_MS = 5000;

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: Dependencies;
  }
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      // An answer of the server is final, and ten seconds are long enough; only a lost connection is worth a second try.
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.code === 'NETWORK',
    },
    // Without a network an action fails at once: it must not happen later by itself, when nobody waits for it any more.
    mutations: { networkMode: 'always' },
  },
});

let session = currentSession();

/**
 * The next user of this browser must not see anything of the last one. A frozen tab may learn of a sign-out only together
 * with the next sign-in. Queries that are under way write into what has been cleared.
 */
tokens.subscribe(() => {
  const next = currentSession();
  if (next === session) return;
  session = next;
  queryClient.clear();
  clearToasts();
});

export function apiQuery<const C extends Callable>(
  definition: C,
  input: ClientInput<C>,
  dependencies: Dependencies = {},
) {
  return queryOptions<Output<C>, ApiError>({
    queryKey: [definition.url, input],
    meta: dependencies,
    queryFn: ({ signal }) => call(definition, input, { signal }),
  });
}

/** Asks again for what depends on the topics: at once for what is shown, otherwise when it is shown again. */
export function invalidate(topics: readonly Topic[]): Promise<void> {
  return queryClient.invalidateQueries({ predicate: ({ meta }) => dependsOn(meta, topics) });
}

export function dependsOn(dependencies: Dependencies | undefined, topics: readonly Topic[]): boolean {
  return dependencies?.topics?.some((topic) => topics.includes(topic)) === true;
}
