import { IconBan } from '@tabler/icons-react';
import { pageSearch, searchParameters, textParameter } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffDestinationsScreen = {
  path: '/admin/refused-destinations',
  permission: 'PROXIES_READ',
  texts: ['staffDestinations'],
  search: searchParameters((search) => ({
    ...pageSearch(search),
    search: textParameter(search['search'])?.slice(0, 300),
    list: textParameter(search['list'])?.slice(0, 60),
  })),
  title: { en: 'Refused destinations', ru: 'Запрещённые адреса назначения' },
  menuItem: { en: 'Refused destinations', ru: 'Запрещённые адреса' },
  Icon: IconBan,
} as const satisfies StaffScreenOf<'GET /v1/proxies/admin/refused-destinations'>;
