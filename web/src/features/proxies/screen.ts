import { FILTER_VALUES_MAX } from '@cellhop/contract/limits';
import { type FilterGroup, filterGroups } from '@cellhop/contract/places.values';
import { IconWorldSearch } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';
import { idParameter, type Search, textParameters } from '../../loading/search-values.ts';

export const proxiesScreen = {
  path: '/proxies',
  texts: ['proxy'],
  search: catalogueSearch,
  title: 'proxies',
  Icon: IconWorldSearch,
  requests: ['/v1/proxies', '/v1/proxies/filter'],
} as const satisfies Screen;

export function proxySearch(search: Search): { [Group in FilterGroup]?: string[] | undefined } {
  const found: ReturnType<typeof proxySearch> = {};
  for (const group of filterGroups) {
    const distinct = textParameters(search[group]).slice(0, FILTER_VALUES_MAX);
    found[group] = distinct.length > 0 ? distinct : undefined;
  }
  return found;
}

/** The proxy whose purchase dialog is open. In the URL, so that a sign-in returns to it. */
export function catalogueSearch(search: Search): ReturnType<typeof proxySearch> & { proxy?: string | undefined } {
  return { ...proxySearch(search), proxy: idParameter(search['proxy']) };
}
