import '../../i18n/staff-texts.ts';
import type { Permission } from '@cellhop/contract/permissions';
import { createRoute, redirect, type AsyncRouteComponent } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { call } from '../../data/http.ts';
import { queryClient } from '../../data/query.ts';
import type { StaffScreen } from '../../features/staff-parts/staff-screen.ts';
import { mayOpen } from '../../features/staff-parts/use-permission.ts';
import { takeEndedView } from '../../features/staff-users/open-view.ts';
import { loadTexts } from '../../i18n/setup.ts';
import type { ScreenCode } from '../../loading/screen.ts';
import { profileQuery, useProfile } from '../../session/profile.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { ScreenFailure } from '../failure-pages.tsx';
import { members, memberRoutes, routeOptions, publicRoutes, root } from '../routes.tsx';
import { staffScreens, staffTitle } from './staff-screens.ts';

/** The routes of the admin area. app/router.ts loads this file when one of them is first opened. */

const endedView = takeEndedView();
// If it fails, the view ends by itself.
if (endedView !== undefined)
  void call('POST /v1/users/admin/views/{id}/end', { params: { id: endedView } }).catch(() => undefined);

type ListedScreen = StaffScreen & ScreenCode;

function staffRoute<S extends ListedScreen>(screen: S) {
  const { permission, texts, title } = screen;
  const options = routeOptions(screen);
  return createRoute({
    ...options,
    getParentRoute: () => members,
    staticData: { staffScreen: { title: staffTitle(screen), isSubscreen: title === undefined } },
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

/** Shows the screen to staff with the permission; others read what they lack. */
function requirePermission(permission: Permission | readonly Permission[], Screen: AsyncRouteComponent<object>) {
  function StaffScreen() {
    const held = useProfile()?.role.permissions ?? [];
    return mayOpen(permission, held) ? <Screen /> : <Forbidden permission={[permission].flat().join(', ')} />;
  }
  return Object.assign(StaffScreen, Screen.preload && { preload: Screen.preload });
}

function Forbidden({ permission }: { permission: string }) {
  const { t } = useTranslation('staff');
  return (
    <EmptyList text={t('forbidden.title')}>
      <p>{t('forbidden.text', { permission })}</p>
    </EmptyList>
  );
}
