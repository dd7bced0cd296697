import { getRouteApi } from '@tanstack/react-router';
import { StaffFaqPage } from '../../features/staff-faq/staff-faq-page.tsx';

const route = getRouteApi('/members/admin/faq');

export function StaffFaqScreen() {
  const { preview } = route.useSearch();
  const navigate = route.useNavigate();
  return <StaffFaqPage preview={preview} onPreview={(language) => void navigate({ search: { preview: language } })} />;
}
