import { NODE_NAME_LENGTH_MAX } from '@cellhop/contract/limits';
import { inventorySorts, proxyStates } from '@cellhop/contract/staff/inventory.values';
import { IconServer2 } from '@tabler/icons-react';
import { oneOf, pageSearch, textParameter, textParameters, searchParameters } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffInventorySearch = searchParameters((search) => {
  const [country, isp] = [textParameters(search['country']), textParameters(search['isp'])];
  return {
    ...pageSearch(search),
    ip: textParameter(search['ip']),
    country: country.length > 0 ? country : undefined,
    isp: isp.length > 0 ? isp : undefined,
    node: textParameter(search['node'])?.slice(0, NODE_NAME_LENGTH_MAX),
    state: oneOf(search['state'], proxyStates),
    sort: oneOf(search['sort'], inventorySorts.slice(1)),
  };
});

export const staffInventoryScreen = {
  path: '/admin/proxies',
  permission: 'PROXIES_READ',
  texts: ['staffInventory'],
  search: staffInventorySearch,
  title: { en: 'Inventory', ru: 'Парк прокси' },
  Icon: IconServer2,
} as const satisfies StaffScreenOf<'GET /v1/proxies/admin'>;
