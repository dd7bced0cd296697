import { IconLayoutDashboard } from '@tabler/icons-react';
import { oneOf, type Search } from '../../loading/search-values.ts';
import type { StaffScreen } from '../staff-parts/staff-screen.ts';
import { type RangeSearch, usageSearch } from '../usage/screen.ts';

export const staffDashboardScreen = {
  path: '/admin',
  texts: ['staffDashboard', 'proxyConnection', 'payment'],
  search: dashboardSearch,
  title: { en: 'Dashboard', ru: 'Обзор' },
  Icon: IconLayoutDashboard,
} as const satisfies StaffScreen;

interface DashboardSearch extends RangeSearch {
  /** Without it, only the countries with the most proxies are shown. */
  countries?: 'all' | undefined;
}

function dashboardSearch(search: Search): DashboardSearch {
  const { range, from, to } = usageSearch(search);
  return { range, from, to, countries: oneOf(search['countries'], ['all']) };
}
