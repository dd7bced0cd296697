import { createRoute, redirect } from '@tanstack/react-router';
import type { StaffScreen } from '../../features/staff-parts/staff-screen.ts';
import { takeEndedView } from '../../features/staff-users/open-view.ts';
import '../../i18n/staff-texts.ts';
import { loadTexts } from '../../i18n/setup.ts';
import { call } from '../../data/http.ts';
import { profileQuery } from '../../session/profile.ts';
import { queryClient } from '../../data/query.ts';
import type { ScreenCode } from '../../loading/screen.ts';
import { ScreenFailure } from '../layout/screen-failure.tsx';
import { members, memberRoutes, optionsOf, publicRoutes, root } from '../routes.tsx';
import { requirePermission } from './require-permission.tsx';
import { staffScreens } from './staff-screens.ts';

/** The routes of the admin area. app/router.ts loads this file when one of them is first opened. */

const endedView = takeEndedView();
// If it fails, the view ends by itself.
if (endedView !== undefined)
  void call('POST /v1/users/admin/views/{id}/end', { params: { id: endedView } }).catch(() => undefined);

type ListedScreen = StaffScreen & ScreenCode;

function staffRoute<S extends ListedScreen>(screen: S) {
  const { permission, texts, title, Icon } = screen;
  const options = optionsOf(screen);
  return createRoute({
    ...options,
    getParentRoute: () => members,
    staticData: { staffScreen: { title, isSubscreen: Icon === undefined } },
    errorComponent: ScreenFailure,
    loader: loadTexts('staff', ...texts),
    ...(permission === undefined
      ? { beforeLoad: redirectCustomers }
      : { component: requirePermission(permission, options.component) }),
  });
}

/** Of screens that all staff may open. */
async function redirectCustomers(): Promise<void> {
  const { data: profile } = await queryClient.ensureQueryData(profileQuery);
  if (profile.role.permissions.length === 0) throw redirect({ href: '/proxies', replace: true });
}

// The types of the routes have the paths and parameters of the screens.
type StaffRoutes<L extends readonly ListedScreen[]> = { [I in keyof L]: ReturnType<typeof staffRoute<L[I]>> };

const staffRoutes = staffScreens.map((screen) => staffRoute(screen)) as unknown as StaffRoutes<typeof staffScreens>;

const staffTree = root.addChildren([...publicRoutes, members.addChildren([...memberRoutes, ...staffRoutes])]);
export type StaffTree = typeof staffTree;
