import { transactionKinds } from '@cellhop/contract/transactions.values';
import { dayOf, oneOf, pageSearch, type Search, textsOf } from '../../loading/search-values.ts';
import { momentsSearch } from '../staff-parts/continuation.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffLedgerScreen = {
  path: '/admin/users/$userId/transactions',
  permission: 'TRANSACTIONS_READ',
  texts: ['staffMoney', 'transaction'],
  search: staffLedgerSearch,
  title: 'users',
} as const satisfies StaffScreenOf<'GET /v1/transactions/admin'>;

export type StaffLedgerSearch = ReturnType<typeof staffLedgerSearch>;

function staffLedgerSearch(search: Search) {
  const kinds = textsOf(search['kind']).flatMap((kind) => oneOf(kind, transactionKinds) ?? []);
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    kind: kinds.length > 0 ? kinds : undefined,
    from: dayOf(search['from']),
    to: dayOf(search['to']),
  };
}
