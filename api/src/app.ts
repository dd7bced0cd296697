import type { FastifyInstance } from 'fastify';
import type { Ctx } from './ctx.ts';
import { downloadRoutes, mailboxRoutes, payInvoiceRoutes } from './dev/development.routes.ts';
import { browserErrorsRoutes } from './http/browser-errors.ts';
import { legalRoutes } from './http/legal.ts';
import { monitoringRoutes } from './http/monitoring.ts';
import { settingsRoutes } from './http/settings.ts';
import { createServer } from './http/server.ts';
import { sitemapRoutes } from './http/sitemap.ts';
import { serveWebApp } from './http/web-app.ts';
import { wellKnownRoutes } from './http/well-known.ts';
import { liveRoutes } from './live/live.routes.ts';
import { dataExportRoutes } from './modules/data-export/data-export.routes.ts';
import { approvalsRoutes } from './modules/approvals/approvals.routes.ts';
import { auditLogRoutes } from './modules/audit-log/audit-log.routes.ts';
import { authRoutes } from './modules/auth/auth.routes.ts';
import { billingRoutes } from './modules/billing/billing.routes.ts';
import { budgetsRoutes } from './modules/budgets/budgets.routes.ts';
import { connectionsRoutes } from './modules/connections/connections.routes.ts';
import { dashboardRoutes } from './modules/dashboard/dashboard.routes.ts';
import { destinationsRoutes } from './modules/destinations/destinations.routes.ts';
import { faqRoutes } from './modules/faq/faq.routes.ts';
import { gatewayRoutes } from './modules/gateway/gateway.routes.ts';
import { invoicesRoutes } from './modules/invoices/invoices.routes.ts';
import { mailsRoutes } from './modules/mails/mails.routes.ts';
import { notificationsRoutes } from './modules/notifications/notifications.routes.ts';
import { profileRoutes } from './modules/profile/profile.routes.ts';
import { inventoryRoutes } from './modules/proxies/inventory.routes.ts';
import { proxiesRoutes } from './modules/proxies/proxies.routes.ts';
import { reconciliationRoutes } from './modules/reconciliation/reconciliation.routes.ts';
import { referralsRoutes } from './modules/referrals/referrals.routes.ts';
import { replacementsRoutes } from './modules/replacements/replacements.routes.ts';
import { rotationRoutes } from './modules/rotation/rotation.routes.ts';
import { searchRoutes } from './modules/search/search.routes.ts';
import { systemRoutes } from './modules/system/system.routes.ts';
import { staffTicketsRoutes } from './modules/tickets/staff-tickets.routes.ts';
import { ticketsRoutes } from './modules/tickets/tickets.routes.ts';
import { timelineRoutes } from './modules/timeline/timeline.routes.ts';
import { transactionsRoutes } from './modules/transactions/transactions.routes.ts';
import { usageRoutes } from './modules/usage/usage.routes.ts';
import { userAdministrationRoutes } from './modules/user-administration/user-administration.routes.ts';
import { visitorPagesRoutes } from './modules/visitor-pages/visitor-pages.routes.ts';
import { authenticateUser, readToken } from './modules/auth/sessions.service.ts';
import { authenticateNode } from './modules/gateway/gateway.service.ts';

/** Each adds its routes, in this order to the documentation. */
const modules: readonly ((app: FastifyInstance) => void)[] = [
  monitoringRoutes,
  settingsRoutes,
  legalRoutes,
  sitemapRoutes,
  wellKnownRoutes,
  browserErrorsRoutes,
  authRoutes,
  profileRoutes,
  userAdministrationRoutes,
  timelineRoutes,
  searchRoutes,
  mailsRoutes,
  proxiesRoutes,
  visitorPagesRoutes,
  inventoryRoutes,
  connectionsRoutes,
  gatewayRoutes,
  rotationRoutes,
  replacementsRoutes,
  destinationsRoutes,
  budgetsRoutes,
  billingRoutes,
  invoicesRoutes,
  transactionsRoutes,
  reconciliationRoutes,
  approvalsRoutes,
  dataExportRoutes,
  auditLogRoutes,
  systemRoutes,
  notificationsRoutes,
  referralsRoutes,
  usageRoutes,
  dashboardRoutes,
  faqRoutes,
  ticketsRoutes,
  staffTicketsRoutes,
  payInvoiceRoutes,
  liveRoutes,
];
const developmentModules = [mailboxRoutes, downloadRoutes] as const;

/** Builds the HTTP server. It does not listen. */
export async function buildApp(ctx: Ctx): Promise<FastifyInstance> {
  const app = await createServer(ctx, { readToken, authenticateUser, authenticateNode });
  for (const addRoutes of modules) addRoutes(app);
  if (ctx.config.isDevelopment) for (const addRoutes of developmentModules) addRoutes(app);
  await serveWebApp(app, ctx.config);
  return app;
}
