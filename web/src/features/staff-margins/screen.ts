import { marginGroups } from '@cellhop/contract/staff/margins.values';
import { IconReportMoney } from '@tabler/icons-react';
import { oneOf, pageSearch, searchParameters } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffMarginsScreen = {
  path: '/admin/margins',
  permission: 'TRANSACTIONS_READ',
  texts: ['staffMargins', 'staffInventory'],
  search: searchParameters((search) => ({
    ...pageSearch(search),
    month: monthParameter(search['month']),
    by: oneOf(search['by'], marginGroups),
  })),
  title: { en: 'Margins', ru: 'Маржа' },
  Icon: IconReportMoney,
} as const satisfies StaffScreenOf<'GET /v1/transactions/admin/margins'>;

/** Such as `2026-11`, as the API takes it. */
function monthParameter(value: unknown): string | undefined {
  return typeof value === 'string' && /^2\d{3}-(?:0[1-9]|1[0-2])$/.test(value) ? value : undefined;
}
