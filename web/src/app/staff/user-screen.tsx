import { getRouteApi } from '@tanstack/react-router';
import { UserTimeline } from '../../features/staff-timeline/user-timeline.tsx';
import { type StaffUserSearch, staffUserSearch } from '../../features/staff-users/screen.ts';
import { UserPage } from '../../features/staff-users/user-page.tsx';
import { ViewAsButton } from '../../features/staff-view-as/view-as-button.tsx';

const route = getRouteApi('/members/admin/users/$userId');

export function UserScreen() {
  const { userId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: StaffUserSearch) =>
    void navigate({ search: staffUserSearch({ ...search, ...changed }), resetScroll: false });
  return (
    <UserPage
      key={userId}
      id={userId}
      page={search.page ?? 1}
      onPage={(page) => change({ page })}
      renderActions={(user) => <ViewAsButton user={user} />}
    >
      <UserTimeline userId={userId} query={search} onQuery={change} />
    </UserPage>
  );
}
