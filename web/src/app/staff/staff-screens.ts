/** The screens of the admin area, in the order of the menu, which this list makes. Customers load no code of them (e2e/staff-menu.long.spec.ts). */
import { staffApprovalsScreen } from '../../features/staff-approvals/screen.ts';
import { staffAuditLogScreen } from '../../features/staff-audit-log/screen.ts';
import { staffConnectionsScreen } from '../../features/staff-connections/screen.ts';
import { staffDashboardScreen } from '../../features/staff-dashboard/screen.ts';
import { staffDestinationsScreen } from '../../features/staff-destinations/screen.ts';
import { staffFaqScreen } from '../../features/staff-faq/screen.ts';
import { staffInventoryScreen } from '../../features/staff-inventory/screen.ts';
import { staffInvoicesScreen } from '../../features/staff-invoices/screen.ts';
import { staffLedgerScreen } from '../../features/staff-ledger/screen.ts';
import { staffMarginsScreen } from '../../features/staff-margins/screen.ts';
import { staffNodesScreen } from '../../features/staff-nodes/screen.ts';
import { broadcastsScreen, userNotificationsScreen } from '../../features/staff-notifications/screen.ts';
import { staffPromoCodesScreen } from '../../features/staff-promo-codes/screen.ts';
import { cannedRepliesScreen, staffTicketScreen, staffTicketsScreen } from '../../features/staff-tickets/screen.ts';
import { staffSystemScreen } from '../../features/staff-system/screen.ts';
import { staffRolesScreen, staffUserScreen, staffUsersScreen } from '../../features/staff-users/screen.ts';
import type { StaffScreen, StaffTitle } from '../../features/staff-parts/staff-screen.ts';
import { withCode } from '../../loading/screen.ts';

export const staffScreens = [
  withCode(staffDashboardScreen, () => import('../../features/staff-dashboard/dashboard-page.tsx'), 'DashboardPage'),
  withCode(staffUsersScreen, () => import('../../features/staff-users/users-page.tsx'), 'UsersPage'),
  withCode(staffUserScreen, () => import('../../features/staff-users/user-page.tsx'), 'UserPage'),
  withCode(staffLedgerScreen, () => import('../../features/staff-ledger/ledger-page.tsx'), 'LedgerPage'),
  withCode(
    userNotificationsScreen,
    () => import('../../features/staff-notifications/user-notifications-page.tsx'),
    'UserNotificationsPage',
  ),
  withCode(
    staffConnectionsScreen,
    () => import('../../features/staff-connections/connections-page.tsx'),
    'ConnectionsPage',
  ),
  withCode(staffInvoicesScreen, () => import('../../features/staff-invoices/invoices-page.tsx'), 'InvoicesPage'),
  withCode(staffMarginsScreen, () => import('../../features/staff-margins/margins-page.tsx'), 'MarginsPage'),
  withCode(staffTicketsScreen, () => import('../../features/staff-tickets/tickets-page.tsx'), 'TicketsPage'),
  withCode(staffTicketScreen, () => import('../../features/staff-tickets/ticket-page.tsx'), 'TicketPage'),
  withCode(
    cannedRepliesScreen,
    () => import('../../features/staff-tickets/canned-replies-page.tsx'),
    'CannedRepliesPage',
  ),
  withCode(
    staffPromoCodesScreen,
    () => import('../../features/staff-promo-codes/promo-codes-page.tsx'),
    'PromoCodesPage',
  ),
  withCode(staffFaqScreen, () => import('../../features/staff-faq/staff-faq-page.tsx'), 'StaffFaqPage'),
  withCode(broadcastsScreen, () => import('../../features/staff-notifications/broadcasts-page.tsx'), 'BroadcastsPage'),
  withCode(staffApprovalsScreen, () => import('../../features/staff-approvals/approvals-page.tsx'), 'ApprovalsPage'),
  withCode(staffInventoryScreen, () => import('../../features/staff-inventory/inventory-page.tsx'), 'InventoryPage'),
  withCode(
    staffDestinationsScreen,
    () => import('../../features/staff-destinations/destinations-page.tsx'),
    'DestinationsPage',
  ),
  withCode(staffNodesScreen, () => import('../../features/staff-nodes/nodes-page.tsx'), 'NodesPage'),
  withCode(staffSystemScreen, () => import('../../features/staff-system/system-page.tsx'), 'SystemPage'),
  withCode(staffAuditLogScreen, () => import('../../features/staff-audit-log/audit-log-page.tsx'), 'AuditLogPage'),
  withCode(staffRolesScreen, () => import('../../features/staff-users/roles-page.tsx'), 'RolesPage'),
] as const;

type MenuScreen = StaffScreen &
  Required<Pick<StaffScreen, 'title' | 'Icon'>> & { path: (typeof staffScreens)[number]['path'] };

export const staffMenuScreens: readonly MenuScreen[] = staffScreens.filter((screen) => 'Icon' in screen);

/** The title of a screen, or of the one that it is below. */
export function staffTitle({ path }: Pick<StaffScreen, 'path'>): StaffTitle {
  const above = staffMenuScreens.filter((screen) => `${path}/`.startsWith(`${screen.path}/`));
  return above.reduce((one, other) => (other.path.length > one.path.length ? other : one)).title;
}
