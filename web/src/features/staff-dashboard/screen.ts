import { IconLayoutDashboard } from '@tabler/icons-react';
import type { Search } from '../../loading/search-values.ts';
import type { StaffScreen } from '../staff-parts/staff-screen.ts';
import { usageSearch } from '../usage/screen.ts';

export const staffDashboardScreen = {
  path: '/admin',
  texts: ['staffDashboard', 'proxyConnection', 'payment'],
  search: dashboardSearch,
  title: 'dashboard',
  Icon: IconLayoutDashboard,
} as const satisfies StaffScreen;

export interface DashboardSearch {
  /** Default: the last 7 days. */
  range?: 'day' | 'month' | undefined;
  /** A custom range: both days, or none. */
  from?: string | undefined;
  to?: string | undefined;
}

export function dashboardSearch(search: Search): DashboardSearch {
  const { range, from, to } = usageSearch(search);
  return { range, from, to };
}
