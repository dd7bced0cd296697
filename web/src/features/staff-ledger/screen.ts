import { transactionKinds } from '@cellhop/contract/transactions.values';
import { dayParameter, pageSearch, type Search } from '../../loading/search-values.ts';
import { momentsSearch } from '../staff-parts/continuation.ts';
import { someOf, type StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffLedgerScreen = {
  path: '/admin/users/$userId/transactions',
  permission: 'TRANSACTIONS_READ',
  texts: ['staffMoney', 'transaction', 'payment'],
  search: staffLedgerSearch,
} as const satisfies StaffScreenOf<'GET /v1/transactions/admin'>;

export type StaffLedgerSearch = ReturnType<typeof staffLedgerSearch>;

function staffLedgerSearch(search: Search) {
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    kind: someOf(search['kind'], transactionKinds),
    from: dayParameter(search['from']),
    to: dayParameter(search['to']),
  };
}
