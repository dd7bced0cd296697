import { getRouteApi } from '@tanstack/react-router';
import { LedgerPage } from '../../features/staff-ledger/ledger-page.tsx';

const route = getRouteApi('/members/admin/users/$userId/transactions');

export function UserLedgerScreen() {
  const search = route.useSearch();
  const { userId } = route.useParams();
  const navigate = route.useNavigate();
  return (
    <LedgerPage
      key={userId}
      userId={userId}
      search={search}
      onSearch={(change) => void navigate({ search: { ...search, ...change } })}
    />
  );
}
