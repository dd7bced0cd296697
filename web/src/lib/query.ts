import { ApiError } from '@cellhop/contract/client';
import type { Callable, ClientInput, Output } from '@cellhop/contract/endpoint';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http.ts';
import { clearToasts } from './toasts.ts';
import { currentSession, tokens } from './tokens.ts';

/** While something that costs or brings money goes on. */
export const LIVE_INTERVAL_MS = 2000;
/** Otherwise: another tab or program of the same user may change things. */
export const CALM_INTERVAL_MS = 10_000;

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

export function apiQuery<const C extends Callable>(definition: C, input: ClientInput<C>) {
  return queryOptions<Output<C>, ApiError>({
    queryKey: [definition.url, input],
    queryFn: ({ signal }) => call(definition, input, { signal }),
  });
}
