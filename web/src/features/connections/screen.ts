import { CONNECTION_SEARCH_LENGTH_MAX } from '@cellhop/contract/limits';
import { IconHistory } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';
import { idOf, pageSearch, type Search, textOf } from '../../loading/search-values.ts';

export const connectionsScreen = {
  path: '/connection-history',
  texts: ['proxyConnection', 'receipt'],
  search: connectionsSearch,
  title: 'connections',
  Icon: IconHistory,
} as const satisfies Screen;

export interface ConnectionsSearch {
  page?: number | undefined;
  /** Only open connections. */
  active?: true | undefined;
  search?: string | undefined;
  /** The connection whose details are open. */
  connection?: string | undefined;
}

export function connectionsSearch(search: Search): ConnectionsSearch {
  return {
    ...pageSearch(search),
    active: String(search['active']) === 'true' ? true : undefined,
    search: textOf(search['search'])?.slice(0, CONNECTION_SEARCH_LENGTH_MAX),
    connection: idOf(search['connection']),
  };
}
