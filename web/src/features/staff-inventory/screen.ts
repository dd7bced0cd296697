import { NODE_NAME_LENGTH_MAX } from '@cellhop/contract/limits';
import {
  type InventorySort,
  inventorySorts,
  type ProxyState,
  proxyStates,
} from '@cellhop/contract/staff/inventory.values';
import { IconServer2 } from '@tabler/icons-react';
import { oneOf, pageSearch, type Search, textOf, textsOf } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffInventoryScreen = {
  path: '/admin/proxies',
  permission: 'PROXIES_READ',
  texts: ['staffInventory'],
  search: staffInventorySearch,
  title: 'proxies',
  Icon: IconServer2,
} as const satisfies StaffScreenOf<'GET /v1/proxies/admin'>;

export interface StaffInventorySearch {
  page?: number | undefined;
  ip?: string | undefined;
  country?: string[] | undefined;
  isp?: string[] | undefined;
  node?: string | undefined;
  state?: ProxyState | undefined;
  sort?: InventorySort | undefined;
}

export function staffInventorySearch(search: Search): StaffInventorySearch {
  const [country, isp] = [textsOf(search['country']), textsOf(search['isp'])];
  return {
    ...pageSearch(search),
    ip: textOf(search['ip']),
    country: country.length > 0 ? country : undefined,
    isp: isp.length > 0 ? isp : undefined,
    node: textOf(search['node'])?.slice(0, NODE_NAME_LENGTH_MAX),
    state: oneOf(search['state'], proxyStates),
    sort: oneOf(search['sort'], inventorySorts.slice(1)),
  };
}
