import { ApiError } from '@cellhop/contract/client';
import type { Proxy, ProxyFacets, ProxyQuery } from '@cellhop/contract/proxies';
import { callForData } from '../../data/http.ts';
import { showBalance } from '../../session/profile.ts';
import { apiQuery, prefetched, queryClient } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';

export const filterQuery = prefetched(apiQuery('GET /v1/proxies/filter', {}, { topics: ['catalogue'] }));

export function proxiesQuery(query: ProxyQuery) {
  return prefetched(apiQuery('GET /v1/proxies', { query }, { topics: ['catalogue'] }));
}

/** The counts under a choice; those of the previous choice while they load. Undefined if the choice is empty, or before the first load. */
export function useFacets(choice: ProxyQuery): ProxyFacets | undefined {
  const isEnabled = Object.keys(choice).length > 0;
  const query = apiQuery('GET /v1/proxies/facets', { query: choice }, { topics: ['catalogue'] });
  const { response } = useApiQuery(query, { isEnabled, keepsPrevious: true });
  return isEnabled ? response?.data : undefined;
}

/** Starts the requests before the screen renders; its queries reuse the responses. */
export function prefetchProxies(query: ProxyQuery): void {
  void queryClient.prefetchQuery(filterQuery);
  void queryClient.prefetchQuery(proxiesQuery(query));
}

/** @param onGone the proxy was sold to someone else */
export function useConnect(onGone: () => void, onPriceChanged: () => void) {
  return useAction({
    call: ({ id, price, cap }: Pick<Proxy, 'id' | 'price'> & { cap: number | null }, withKey) =>
      callForData(
        'POST /v1/proxies/connections',
        { body: { id, price, ...(cap !== null && { capMegabytes: cap }) } },
        withKey(),
      ),
    onSuccess: ({ currentBalance }) => showBalance(currentBalance),
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      if (error.code === 'PROXY_NOT_FOUND') onGone();
      if (error.code === 'PRICE_CHANGED') onPriceChanged();
    },
    changes: ['connections'],
  });
}
