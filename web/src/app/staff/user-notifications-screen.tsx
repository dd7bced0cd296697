import { getRouteApi } from '@tanstack/react-router';
import { UserNotifications } from '../../features/staff-notifications/user-notifications.tsx';

const route = getRouteApi('/members/admin/users/$userId/notifications');

export function UserNotificationsScreen() {
  const { userId } = route.useParams();
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <UserNotifications
      userId={userId}
      page={page ?? 1}
      onPage={(chosen) => void navigate({ search: { page: chosen } })}
    />
  );
}
