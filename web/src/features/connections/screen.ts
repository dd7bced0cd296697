import { IconHistory } from '@tabler/icons-react';
import type { Screen } from '../../lib/screen.ts';
import { idOf, pageSearch, type Search } from '../../lib/search-values.ts';

export const connectionsScreen = {
  path: '/connection-history',
  name: 'connections',
  isForMembers: true,
  texts: ['proxyConnection'],
  search: connectionsSearch,
  title: 'connections',
  Icon: IconHistory,
} as const satisfies Screen;

export function connectionsSearch(search: Search): ReturnType<typeof pageSearch> & { connection?: string | undefined } {
  return { ...pageSearch(search), connection: idOf(search['connection']) };
}
