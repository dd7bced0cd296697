/** The screens of the admin area, in the order of the menu. */
import { staffApprovalsScreen } from '../../features/staff-approvals/screen.ts';
import { staffAuditLogScreen } from '../../features/staff-audit-log/screen.ts';
import { staffConnectionsScreen } from '../../features/staff-connections/screen.ts';
import { staffDashboardScreen } from '../../features/staff-dashboard/screen.ts';
import { staffFaqScreen } from '../../features/staff-faq/screen.ts';
import { staffInventoryScreen } from '../../features/staff-inventory/screen.ts';
import { staffInvoicesScreen } from '../../features/staff-invoices/screen.ts';
import { staffNodesScreen } from '../../features/staff-nodes/screen.ts';
import { broadcastsScreen } from '../../features/staff-notifications/screen.ts';
import type { StaffScreen } from '../../features/staff-parts/staff-screen.ts';
import { staffPromoCodesScreen } from '../../features/staff-promo-codes/screen.ts';
import { staffTicketsScreen } from '../../features/staff-support/screen.ts';
import { staffSystemScreen } from '../../features/staff-system/screen.ts';
import { staffRolesScreen, staffUsersScreen } from '../../features/staff-users/screen.ts';

export const staffScreens = [
  staffDashboardScreen,
  staffUsersScreen,
  staffConnectionsScreen,
  staffInvoicesScreen,
  staffTicketsScreen,
  staffPromoCodesScreen,
  staffFaqScreen,
  broadcastsScreen,
  staffApprovalsScreen,
  staffInventoryScreen,
  staffNodesScreen,
  staffSystemScreen,
  staffAuditLogScreen,
  staffRolesScreen,
] as const satisfies readonly StaffScreen[];
