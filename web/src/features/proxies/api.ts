import type { ConnectionWithBalance } from '@cellhop/contract/connections';
import { connect } from '@cellhop/contract/connections.plain';
import type { Proxy, ProxyQuery } from '@cellhop/contract/proxies';
import { getProxyFilter, searchProxies } from '@cellhop/contract/proxies.plain';
import { listConnections } from '@cellhop/contract/connections.plain';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/http.ts';
import { showBalance } from '../../lib/profile.ts';
import { apiQuery, queryClient } from '../../lib/query.ts';

export const filterQuery = apiQuery(getProxyFilter, {});

export function proxiesQuery(query: ProxyQuery) {
  return apiQuery(searchProxies, { query });
}

/** Before anything shows them: whoever does then takes the same answers. */
export function askForProxies(query: ProxyQuery): void {
  void queryClient.prefetchQuery(filterQuery);
  void queryClient.prefetchQuery(proxiesQuery(query));
}

interface Purchase {
  proxy: Proxy;
  /** The same for every try to buy this proxy in one dialog: a repeat after a lost answer buys nothing twice. */
  idempotencyKey: string;
}

export function useConnect() {
  return useMutation<ConnectionWithBalance, Error, Purchase>({
    mutationFn: async ({ proxy, idempotencyKey }) => {
      const body = { id: proxy.id, price: proxy.price };
      const { data } = await call(connect, { body }, { headers: { 'idempotency-key': idempotencyKey } });
      return data;
    },
    onSuccess: async ({ currentBalance }) => {
      await showBalance(currentBalance);
      void queryClient.invalidateQueries({ queryKey: [listConnections.url] });
    },
  });
}

/** The catalogue has changed: a proxy was sold, by us or by someone else. */
export function reloadCatalogue(): void {
  void queryClient.invalidateQueries({ queryKey: [searchProxies.url] });
  void queryClient.invalidateQueries({ queryKey: [getProxyFilter.url] });
}
