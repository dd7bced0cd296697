import { listConnections } from '@cellhop/contract/connections.plain';
import { getConnectionCost, listCharges } from '@cellhop/contract/receipts.plain';
import { IconHistory } from '@tabler/icons-react';
import { liveAnswers, type Screen, SUMS_SPACING_MS } from '../../lib/screen.ts';
import { idOf, pageSearch, type Search } from '../../lib/search-values.ts';

export const connectionsScreen = {
  path: '/connection-history',
  name: 'connections',
  isForMembers: true,
  texts: ['proxyConnection'],
  search: connectionsSearch,
  title: 'connections',
  Icon: IconHistory,
  live: [
    liveAnswers([listConnections], ['connections']),
    liveAnswers([listCharges, getConnectionCost], ['balance', 'connections'], SUMS_SPACING_MS),
  ],
} as const satisfies Screen;

export function connectionsSearch(search: Search): ReturnType<typeof pageSearch> & { connection?: string | undefined } {
  return { ...pageSearch(search), connection: idOf(search['connection']) };
}
