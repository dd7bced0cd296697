import { getRouteApi } from '@tanstack/react-router';
import { PromoCodesPage } from '../../features/staff-promo-codes/promo-codes-page.tsx';
import { staffPromoCodesSearch } from '../../features/staff-promo-codes/screen.ts';

const route = getRouteApi('/members/admin/referral-system/codes');

export function PromoCodesScreen() {
  const { page, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <PromoCodesPage
      page={page ?? 1}
      filter={filter}
      onPage={(chosen) => void navigate({ search: staffPromoCodesSearch({ ...filter, page: chosen }) })}
      onFilter={(chosen) => void navigate({ search: staffPromoCodesSearch({ ...chosen }), replace: true })}
    />
  );
}
