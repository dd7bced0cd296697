import { jobStates } from '@cellhop/contract/staff/lists.values';
import { IconActivity } from '@tabler/icons-react';
import { oneOf, pageSearch, type Search } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffSystemScreen = {
  path: '/admin/system',
  permission: 'SYSTEM_READ',
  texts: ['staffSystem', 'transaction'],
  search: staffSystemSearch,
  title: { en: 'System', ru: 'Система' },
  waiting: 'system',
  Icon: IconActivity,
} as const satisfies StaffScreenOf<'GET /v1/system/admin'>;

export type StaffSystemSearch = ReturnType<typeof staffSystemSearch>;

function staffSystemSearch(search: Search) {
  return { ...pageSearch(search), state: oneOf(search['state'], jobStates) };
}
