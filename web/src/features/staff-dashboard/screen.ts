import { IconLayoutDashboard } from '@tabler/icons-react';
import type { Search } from '../../loading/search-values.ts';
import type { StaffScreen } from '../staff-parts/staff-screen.ts';
import { type RangeSearch, usageSearch } from '../usage/screen.ts';

export const staffDashboardScreen = {
  path: '/admin',
  texts: ['staffDashboard', 'proxyConnection', 'payment'],
  search: dashboardSearch,
  title: 'dashboard',
  Icon: IconLayoutDashboard,
} as const satisfies StaffScreen;

function dashboardSearch(search: Search): RangeSearch {
  const { range, from, to } = usageSearch(search);
  return { range, from, to };
}
