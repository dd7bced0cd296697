import { plain } from './endpoint.ts';
import type * as full from './proxies.ts';

export const filterGroups = ['country', 'city', 'region', 'zip', 'isp', 'connectionType'] as const;

export type FilterGroup = (typeof filterGroups)[number];

export const supportedProtocols = ['SOCKS5', 'HTTP', 'QUIC'] as const;

export const getProxyFilter = plain<typeof full.getProxyFilter>({
  method: 'GET',
  url: '/v1/proxies/filter',
  access: 'user',
});
export const getProxyFacets = plain<typeof full.getProxyFacets>({
  method: 'GET',
  url: '/v1/proxies/facets',
  access: 'user',
});
export const getLowestPrice = plain<typeof full.getLowestPrice>({
  method: 'GET',
  url: '/v1/proxies/lowest-price',
  access: 'public',
});
export const searchProxies = plain<typeof full.searchProxies>({ method: 'GET', url: '/v1/proxies', access: 'user' });
