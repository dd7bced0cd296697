import { getRouteApi } from '@tanstack/react-router';
import { ReferralPage } from '../../features/referrals/referral-page.tsx';

const route = getRouteApi('/members/referral-system');

export function ReferralScreen() {
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  return <ReferralPage page={page ?? 1} onPage={(chosen) => void navigate({ search: { page: chosen } })} />;
}
