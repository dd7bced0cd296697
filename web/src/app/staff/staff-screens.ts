/** The screens of the admin area, in the order of the menu. Routes and menu are made from this list. */
import { staffApprovalsScreen } from '../../features/staff-approvals/screen.ts';
import { staffAuditLogScreen } from '../../features/staff-audit-log/screen.ts';
import { staffConnectionsScreen } from '../../features/staff-connections/screen.ts';
import { staffDashboardScreen } from '../../features/staff-dashboard/screen.ts';
import { staffFaqScreen } from '../../features/staff-faq/screen.ts';
import { staffInventoryScreen } from '../../features/staff-inventory/screen.ts';
import { staffInvoicesScreen } from '../../features/staff-invoices/screen.ts';
import { staffLedgerScreen } from '../../features/staff-ledger/screen.ts';
import { staffNodesScreen } from '../../features/staff-nodes/screen.ts';
import { broadcastsScreen, userNotificationsScreen } from '../../features/staff-notifications/screen.ts';
import { staffPromoCodesScreen } from '../../features/staff-promo-codes/screen.ts';
import { cannedRepliesScreen, staffTicketScreen, staffTicketsScreen } from '../../features/staff-tickets/screen.ts';
import { staffSystemScreen } from '../../features/staff-system/screen.ts';
import { staffRolesScreen, staffUserScreen, staffUsersScreen } from '../../features/staff-users/screen.ts';
import { withCode } from '../../loading/screen.ts';

export const staffScreens = [
  withCode(staffDashboardScreen, () => import('./dashboard-screen.tsx'), 'DashboardScreen'),
  withCode(staffUsersScreen, () => import('./users-screen.tsx'), 'UsersScreen'),
  withCode(staffUserScreen, () => import('./user-screen.tsx'), 'UserScreen'),
  withCode(staffLedgerScreen, () => import('./user-ledger-screen.tsx'), 'UserLedgerScreen'),
  withCode(userNotificationsScreen, () => import('./user-notifications-screen.tsx'), 'UserNotificationsScreen'),
  withCode(staffConnectionsScreen, () => import('./connections-screen.tsx'), 'ConnectionsScreen'),
  withCode(staffInvoicesScreen, () => import('./invoices-screen.tsx'), 'InvoicesScreen'),
  withCode(staffTicketsScreen, () => import('./tickets-screen.tsx'), 'TicketsScreen'),
  withCode(staffTicketScreen, () => import('./ticket-screen.tsx'), 'TicketScreen'),
  withCode(
    cannedRepliesScreen,
    () => import('../../features/staff-tickets/canned-replies-page.tsx'),
    'CannedRepliesPage',
  ),
  withCode(staffPromoCodesScreen, () => import('./promo-codes-screen.tsx'), 'PromoCodesScreen'),
  withCode(staffFaqScreen, () => import('./faq-screen.tsx'), 'StaffFaqScreen'),
  withCode(broadcastsScreen, () => import('./broadcasts-screen.tsx'), 'BroadcastsScreen'),
  withCode(staffApprovalsScreen, () => import('./approvals-screen.tsx'), 'ApprovalsScreen'),
  withCode(staffInventoryScreen, () => import('./proxies-screen.tsx'), 'ProxiesScreen'),
  withCode(staffNodesScreen, () => import('../../features/staff-nodes/nodes-page.tsx'), 'NodesPage'),
  withCode(staffSystemScreen, () => import('./system-screen.tsx'), 'SystemScreen'),
  withCode(staffAuditLogScreen, () => import('./audit-log-screen.tsx'), 'AuditLogScreen'),
  withCode(staffRolesScreen, () => import('../../features/staff-users/roles-page.tsx'), 'RolesPage'),
] as const;

export const staffMenuScreens = staffScreens.filter((screen) => 'Icon' in screen);
