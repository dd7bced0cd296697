import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { members, memberRoutes, publicRoutes, root } from './routes.tsx';
import { parseSearch, stringifySearch } from './search-text.ts';
import type { StaffTree } from './staff/staff-routes.tsx';

/** The routes of staff are loaded when one of them is first opened, so that customers do not load them. */
const staffArea = createRoute({
  getParentRoute: () => members,
  path: '/admin/$',
  beforeLoad: async ({ location }): Promise<void> => {
    await addStaffRoutes();
    throw redirect({ href: location.href, replace: true });
  },
});

/** The module adds its routes to the tree when it is evaluated. */
async function addStaffRoutes(): Promise<void> {
  await import('./staff/staff-routes.tsx');
  const tree = router.buildRouteTree();
  // It matches no path any more, but its spinner may stay on the screen until the redirect has loaded.
  Object.assign(tree.routesById, { [staffArea.id]: staffArea });
  router.setRoutes(tree);
}

const options = {
  defaultPreload: 'intent',
  defaultPendingComponent: FullScreenSpinner,
  defaultPendingMs: 200,
  defaultPendingMinMs: 200,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
} as const;

type AppRouter = ReturnType<typeof createRouter<StaffTree, 'never', false>>;

const routeTree = root.addChildren([...publicRoutes, members.addChildren([...memberRoutes, staffArea])]);
export const router = createRouter({ routeTree, ...options }) as unknown as AppRouter;

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}
