import { getRouteApi } from '@tanstack/react-router';
import { type Choice, isKind } from '../../features/transactions/choice.ts';
import { TransactionsPage } from '../../features/transactions/transactions-page.tsx';
import type { TransactionsSearch } from '../../features/transactions/screen.ts';

const route = getRouteApi('/members/transactions');

export function TransactionsScreen() {
  const { page, kind = [], from = '', to = '', month } = route.useSearch();
  const navigate = route.useNavigate();
  const choice: Choice = { kinds: kind.filter(isKind), from, to };
  return (
    <TransactionsPage
      choice={choice}
      page={page ?? 1}
      onChoice={(chosen) => void navigate({ search: toSearch(chosen), replace: true })}
      month={month}
      onMonth={(chosen) =>
        void navigate({ search: { ...toSearch(choice), ...(page !== undefined && { page }), month: chosen } })
      }
      onPage={(chosen) => void navigate({ search: { ...toSearch(choice), page: chosen } })}
    />
  );
}

function toSearch({ kinds, from, to }: Choice): TransactionsSearch {
  return {
    ...(kinds.length > 0 && { kind: kinds }),
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
  };
}
