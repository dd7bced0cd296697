import { CONNECTION_SEARCH_LENGTH_MAX } from '@cellhop/contract/limits';
import { IconHistory } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';
import { idParameter, pageSearch, textParameter, searchParameters } from '../../loading/search-values.ts';

export const connectionsSearch = searchParameters((search) => ({
  ...pageSearch(search),
  /** Only open connections. */
  active: String(search['active']) === 'true' ? (true as const) : undefined,
  search: textParameter(search['search'])?.slice(0, CONNECTION_SEARCH_LENGTH_MAX),
  /** The connection whose details are open. */
  connection: idParameter(search['connection']),
}));

export type ConnectionsSearch = ReturnType<typeof connectionsSearch>;

export const connectionsScreen = {
  path: '/connection-history',
  texts: ['proxyConnection', 'receipt'],
  search: connectionsSearch,
  title: 'connections',
  Icon: IconHistory,
} as const satisfies Screen;
