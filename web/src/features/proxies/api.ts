import { ApiError } from '@cellhop/contract/client';
import { connect } from '@cellhop/contract/connections.plain';
import type { Proxy, ProxyFacets, ProxyQuery } from '@cellhop/contract/proxies';
import { getProxyFacets, getProxyFilter, searchProxies } from '@cellhop/contract/proxies.plain';
import { call } from '../../data/http.ts';
import { showBalance } from '../../session/profile.ts';
import { apiQuery, prefetched, queryClient } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';

export const filterQuery = prefetched(apiQuery(getProxyFilter, {}, { topics: ['catalogue'] }));

export function proxiesQuery(query: ProxyQuery) {
  return prefetched(apiQuery(searchProxies, { query }, { topics: ['catalogue'] }));
}

/** The counts under a choice; those of the previous choice while they load. Undefined if the choice is empty, or before the first load. */
export function useFacets(choice: ProxyQuery): ProxyFacets | undefined {
  const isEnabled = Object.keys(choice).length > 0;
  const query = apiQuery(getProxyFacets, { query: choice }, { topics: ['catalogue'] });
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
    call: async ({ id, price, cap }: Pick<Proxy, 'id' | 'price'> & { cap: number | null }, withKey) =>
      (await call(connect, { body: { id, price, ...(cap !== null && { capMegabytes: cap }) } }, withKey())).data,
    onSuccess: ({ currentBalance }) => showBalance(currentBalance),
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      if (error.code === 'PROXY_NOT_FOUND') onGone();
      if (error.code === 'PRICE_CHANGED') onPriceChanged();
    },
    changes: ['connections'],
  });
}
