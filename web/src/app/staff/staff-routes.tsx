import { endView } from '@cellhop/contract/staff/view-as.plain';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { staffConnectionsScreen } from '../../features/staff-connections/screen.ts';
import type { StaffScreen } from '../../features/staff-parts/staff-screen.ts';
import { staffRolesScreen, staffUserScreen, staffUsersScreen } from '../../features/staff-users/screen.ts';
import { loadTexts } from '../../i18n/setup.ts';
import { call } from '../../lib/http.ts';
import { takeEndedView } from '../../features/staff-view-as/open-view.ts';
import { profileQuery } from '../../lib/profile.ts';
import { queryClient } from '../../lib/query.ts';
import { ScreenFailure } from '../layout/screen-failure.tsx';
import { members, memberRoutes, publicRoutes, root } from '../routes.tsx';
import { requirePermission } from './require-permission.tsx';
import { cannedRepliesScreen, staffTicketScreen, staffTicketsScreen } from '../../features/staff-support/screen.ts';
import { staffFaqScreen } from '../../features/staff-faq/screen.ts';
import { broadcastsScreen, userNotificationsScreen } from '../../features/staff-notifications/screen.ts';
import { staffPromoCodesScreen } from '../../features/staff-promo-codes/screen.ts';
import { staffInventoryScreen } from '../../features/staff-inventory/screen.ts';
import { staffNodesScreen } from '../../features/staff-nodes/screen.ts';
import { staffApprovalsScreen } from '../../features/staff-approvals/screen.ts';
import { staffAuditLogScreen } from '../../features/staff-audit-log/screen.ts';
import { staffInvoicesScreen } from '../../features/staff-invoices/screen.ts';
import { staffLedgerScreen } from '../../features/staff-ledger/screen.ts';
import { staffSystemScreen } from '../../features/staff-system/screen.ts';
import { staffDashboardScreen } from '../../features/staff-dashboard/screen.ts';
import '../../i18n/staff-texts.ts';

/** The routes of the admin area. app/router.ts loads this file when one of them is first opened. */

const endedView = takeEndedView();
// If it fails, the view ends by itself.
if (endedView !== undefined) void call(endView, { params: { id: endedView } }).catch(() => undefined);

/** Shared options of the screens of staff. */
function staffScreen<const S extends StaffScreen>({ path, texts, title, Icon }: S) {
  return {
    getParentRoute: () => members,
    path: path as S['path'],
    staticData: { staffScreen: { title, isSubscreen: Icon === undefined } },
    errorComponent: ScreenFailure,
    loader: loadTexts('staff', ...texts),
  };
}

const users = createRoute({
  ...staffScreen(staffUsersScreen),
  validateSearch: staffUsersScreen.search,
  component: requirePermission(
    staffUsersScreen.permission,
    lazyRouteComponent(() => import('./users-screen.tsx'), 'UsersScreen'),
  ),
});

const user = createRoute({
  ...staffScreen(staffUserScreen),
  validateSearch: staffUserScreen.search,
  component: requirePermission(
    staffUserScreen.permission,
    lazyRouteComponent(() => import('./user-screen.tsx'), 'UserScreen'),
  ),
});

const connections = createRoute({
  ...staffScreen(staffConnectionsScreen),
  validateSearch: staffConnectionsScreen.search,
  component: requirePermission(
    staffConnectionsScreen.permission,
    lazyRouteComponent(() => import('./connections-screen.tsx'), 'ConnectionsScreen'),
  ),
});

const roles = createRoute({
  ...staffScreen(staffRolesScreen),
  component: requirePermission(
    staffRolesScreen.permission,
    lazyRouteComponent(() => import('../../features/staff-users/roles-page.tsx'), 'RolesPage'),
  ),
});

const tickets = createRoute({
  ...staffScreen(staffTicketsScreen),
  validateSearch: staffTicketsScreen.search,
  component: requirePermission(
    staffTicketsScreen.permission,
    lazyRouteComponent(() => import('./tickets-screen.tsx'), 'TicketsScreen'),
  ),
});
const ticket = createRoute({
  ...staffScreen(staffTicketScreen),
  validateSearch: staffTicketScreen.search,
  component: requirePermission(
    staffTicketScreen.permission,
    lazyRouteComponent(() => import('./ticket-screen.tsx'), 'TicketScreen'),
  ),
});
const cannedReplies = createRoute({
  ...staffScreen(cannedRepliesScreen),
  component: requirePermission(
    cannedRepliesScreen.permission,
    lazyRouteComponent(() => import('../../features/staff-support/canned-replies-page.tsx'), 'CannedRepliesPage'),
  ),
});

const promoCodes = createRoute({
  ...staffScreen(staffPromoCodesScreen),
  validateSearch: staffPromoCodesScreen.search,
  component: requirePermission(
    staffPromoCodesScreen.permission,
    lazyRouteComponent(() => import('./promo-codes-screen.tsx'), 'PromoCodesScreen'),
  ),
});

const faq = createRoute({
  ...staffScreen(staffFaqScreen),
  validateSearch: staffFaqScreen.search,
  component: requirePermission(
    staffFaqScreen.permission,
    lazyRouteComponent(() => import('./faq-screen.tsx'), 'StaffFaqScreen'),
  ),
});

const broadcasts = createRoute({
  ...staffScreen(broadcastsScreen),
  validateSearch: broadcastsScreen.search,
  component: requirePermission(
    broadcastsScreen.permission,
    lazyRouteComponent(() => import('./broadcasts-screen.tsx'), 'BroadcastsScreen'),
  ),
});

const userNotifications = createRoute({
  ...staffScreen(userNotificationsScreen),
  validateSearch: userNotificationsScreen.search,
  component: requirePermission(
    userNotificationsScreen.permission,
    lazyRouteComponent(() => import('./user-notifications-screen.tsx'), 'UserNotificationsScreen'),
  ),
});

export const proxies = createRoute({
  ...staffScreen(staffInventoryScreen),
  validateSearch: staffInventoryScreen.search,
  component: requirePermission(
    staffInventoryScreen.permission,
    lazyRouteComponent(() => import('./proxies-screen.tsx'), 'ProxiesScreen'),
  ),
});

const nodes = createRoute({
  ...staffScreen(staffNodesScreen),
  component: requirePermission(
    staffNodesScreen.permission,
    lazyRouteComponent(() => import('../../features/staff-nodes/nodes-page.tsx'), 'NodesPage'),
  ),
});

const invoices = createRoute({
  ...staffScreen(staffInvoicesScreen),
  validateSearch: staffInvoicesScreen.search,
  component: requirePermission(
    staffInvoicesScreen.permission,
    lazyRouteComponent(() => import('./invoices-screen.tsx'), 'InvoicesScreen'),
  ),
});

const userLedger = createRoute({
  ...staffScreen(staffLedgerScreen),
  validateSearch: staffLedgerScreen.search,
  component: requirePermission(
    staffLedgerScreen.permission,
    lazyRouteComponent(() => import('./user-ledger-screen.tsx'), 'UserLedgerScreen'),
  ),
});

const approvals = createRoute({
  ...staffScreen(staffApprovalsScreen),
  validateSearch: staffApprovalsScreen.search,
  component: requirePermission(
    staffApprovalsScreen.permission,
    lazyRouteComponent(() => import('./approvals-screen.tsx'), 'ApprovalsScreen'),
  ),
});

const system = createRoute({
  ...staffScreen(staffSystemScreen),
  validateSearch: staffSystemScreen.search,
  component: requirePermission(
    staffSystemScreen.permission,
    lazyRouteComponent(() => import('./system-screen.tsx'), 'SystemScreen'),
  ),
});

const auditLog = createRoute({
  ...staffScreen(staffAuditLogScreen),
  validateSearch: staffAuditLogScreen.search,
  component: requirePermission(
    staffAuditLogScreen.permission,
    lazyRouteComponent(() => import('./audit-log-screen.tsx'), 'AuditLogScreen'),
  ),
});

export const dashboard = createRoute({
  ...staffScreen(staffDashboardScreen),
  validateSearch: staffDashboardScreen.search,
  // Customers have no dashboard.
  beforeLoad: async () => {
    const { data: profile } = await queryClient.ensureQueryData(profileQuery);
    if (profile.role.permissions.length === 0) throw redirect({ href: '/proxies', replace: true });
  },
  component: lazyRouteComponent(() => import('./dashboard-screen.tsx'), 'DashboardScreen'),
});

const staffTree = root.addChildren([
  ...publicRoutes,
  members.addChildren([
    ...memberRoutes,
    dashboard,
    users,
    user,
    connections,
    roles,
    tickets,
    ticket,
    cannedReplies,
    promoCodes,
    faq,
    broadcasts,
    userNotifications,
    proxies,
    nodes,
    invoices,
    userLedger,
    approvals,
    system,
    auditLog,
  ]),
]);
export type StaffTree = typeof staffTree;
