import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { askServer } from '../data/network.ts';
import { loadSettings } from '../data/settings.ts';
import type { StaffTitle } from '../features/staff-parts/staff-screen.ts';
import { memberTexts } from '../i18n/languages.ts';
import { loadTexts } from '../i18n/setup.ts';
import { OfflineLoadError } from '../loading/load-failure.ts';
import type { Screen, ScreenCode } from '../loading/screen.ts';
import { hasTokens } from '../session/tokens.ts';
import { GlobalErrorPage, ScreenFailure } from './failure-pages.tsx';
import { returnSearch, nextSearch } from './next-page.ts';
import { NotFoundPage } from '../ui/message-screen.tsx';
import { RootLayout } from './root-layout.tsx';
import { memberScreens, publicScreens, visitorScreens } from './screens.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Of the screens of staff: the title in the top bar, and whether it is the one of the screen above. */
    staffScreen?: { title: StaffTitle; isSubscreen: boolean };
  }
}

export const root = createRootRoute({
  component: RootLayout,
  loader: () => loadSettings(),
  notFoundComponent: NotFoundPage,
  // Replaces the whole page. Screens for signed-in users have their own error component.
  errorComponent: GlobalErrorPage,
});

/** The API renders the landing page, so this leaves the app. */
const landing = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ href: '/', reloadDocument: true });
  },
});

/** For visitors. Signed-in users are redirected to the proxies, or to the page that sign-in interrupted. */
const visitors = createRoute({
  getParentRoute: () => root,
  id: 'visitors',
  validateSearch: nextSearch,
  beforeLoad: ({ search }) => {
    if (hasTokens()) throw redirect({ href: search.next ?? '/proxies', replace: true });
  },
  component: lazyRouteComponent(() => import('./layout/guest-layout.tsx'), 'GuestLayout'),
});

/** For signed-in users; the layout redirects unauthenticated ones. */
export const members = createRoute({
  getParentRoute: () => root,
  id: 'members',
  beforeLoad: ({ location }) => {
    if (!hasTokens()) throw redirect({ to: '/sign-in', search: returnSearch(location.href), replace: true });
  },
  loader: loadTexts(...memberTexts),
  component: lazyRouteComponent(() => import('./layout/member-layout.tsx'), 'MemberLayout'),
});

type ListedScreen = Screen & ScreenCode;

/** Options that the routes of all screens have. */
export function routeOptions<S extends Pick<Screen, 'path' | 'search' | 'texts'> & ScreenCode>({
  path,
  search,
  texts,
  load,
  component,
}: S) {
  return {
    path: path as S['path'],
    validateSearch: search as S['search'],
    loader: loadTexts(...texts),
    component: lazyRouteComponent(load, component),
    // Another ticket, for example, is another page: drafts and dialogs of the one before must not stay.
    remountDeps: ({ params }: { params: object }) => params,
  };
}

function publicRoute<S extends ListedScreen>(screen: S) {
  return createRoute({ ...routeOptions(screen), getParentRoute: () => root });
}

function visitorRoute<S extends ListedScreen>(screen: S) {
  return createRoute({ ...routeOptions(screen), getParentRoute: () => visitors });
}

function memberRoute<S extends ListedScreen>(screen: S) {
  const { texts, prefetch, load, component } = screen;
  return createRoute({
    ...routeOptions(screen),
    getParentRoute: () => members,
    errorComponent: ScreenFailure,
    loader: ({ location }) => {
      // The screen shows a failure.
      prefetch?.(location.search).catch(() => undefined);
      return loadTexts(...texts)();
    },
    component: lazyRouteComponent(keptOffline(load), component),
  });
}

// The types of the routes have the paths and parameters of the screens.
type PublicRoutes<L extends readonly ListedScreen[]> = { [I in keyof L]: ReturnType<typeof publicRoute<L[I]>> };
type VisitorRoutes<L extends readonly ListedScreen[]> = { [I in keyof L]: ReturnType<typeof visitorRoute<L[I]>> };
type MemberRoutes<L extends readonly ListedScreen[]> = { [I in keyof L]: ReturnType<typeof memberRoute<L[I]>> };

const visitorRoutes = visitorScreens.map((screen) => visitorRoute(screen)) as unknown as VisitorRoutes<
  typeof visitorScreens
>;

/** Shared with the routes of staff, which app/staff/staff-routes.tsx adds. */
export const publicRoutes = [
  landing,
  ...(publicScreens.map((screen) => publicRoute(screen)) as unknown as PublicRoutes<typeof publicScreens>),
  visitors.addChildren(visitorRoutes),
] as const;
export const memberRoutes = memberScreens.map((screen) => memberRoute(screen)) as unknown as MemberRoutes<
  typeof memberScreens
>;

/**
 * Loads a screen of signed-in users. If its code cannot be loaded, the router reloads the page, because a newer version may
 * have replaced the file. Offline that would replace the app by the browser's error page, so the screen fails instead,
 * inside the shell.
 */
function keptOffline<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    try {
      return await load();
    } catch (error) {
      throw (await askServer()) ? error : new OfflineLoadError('The network is down', { cause: error });
    }
  };
}
