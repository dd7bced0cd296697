import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Ctx } from './ctx.ts';
import { downloadRoutes } from './dev/download.routes.ts';
import { mailboxRoutes } from './dev/mailbox.routes.ts';
import { payInvoiceRoutes } from './dev/pay-invoice.routes.ts';
import { BrowserErrors, browserErrorsRoutes } from './http/browser-errors.ts';
import { useDocumentation } from './http/documentation.ts';
import { useAdmission } from './http/admission.ts';
import { EMPTY_BODY_BYTES, useJsonBodies } from './http/body.ts';
import { useCompression } from './http/compression.ts';
import { Downloads } from './http/downloads.ts';
import { sendError, useErrors } from './http/errors.ts';
import { useHealth } from './http/health.ts';
import { Listeners } from './http/listeners.ts';
import { useMetrics } from './http/metrics.ts';
import type { Access } from './http/route.ts';
import { compileSerializer } from './http/serializer.ts';
import { staticSecurityHeaders, useSecurity } from './http/security.ts';
import { legalRoutes } from './http/legal.ts';
import { settingsRoutes } from './http/settings.ts';
import { InvalidTokenLimiter } from './http/invalid-token-limiter.ts';
import { compileValidator } from './http/validation.ts';
import { Uploads } from './http/uploads.ts';
import { serveWebApp } from './http/web-app.ts';
import { countFailed } from './jobs/jobs.ts';
import { liveRoutes } from './live/live.routes.ts';
import { approvalsRoutes } from './modules/approvals/approvals.routes.ts';
import { auditLogRoutes } from './modules/audit-log/audit-log.routes.ts';
import { authRoutes } from './modules/auth/auth.routes.ts';
import { passwordHashUsage } from './modules/auth/passwords.ts';
import { viewAsRoutes } from './modules/auth/view-as.routes.ts';
import { authenticateUser, findOpenSessions, refreshUsage } from './modules/auth/sessions.service.ts';
import { connectionsRoutes } from './modules/connections/connections.routes.ts';
import { dashboardRoutes } from './modules/dashboard/dashboard.routes.ts';
import { faqsRoutes } from './modules/faqs/faqs.routes.ts';
import { readChainFigures } from './modules/invoices/chain-overview.service.ts';
import { invoicesRoutes } from './modules/invoices/invoices.routes.ts';
import { readKeyFigures } from './modules/key-rotation/key-rotation.service.ts';
import { gatewayRoutes } from './modules/gateway/gateway.routes.ts';
import * as gateway from './modules/gateway/gateway.service.ts';
import { nodesRoutes } from './modules/gateway/nodes.routes.ts';
import { mailsRoutes } from './modules/mails/mails.routes.ts';
import { notificationsRoutes } from './modules/notifications/notifications.routes.ts';
import { inventoryRoutes } from './modules/proxies/inventory.routes.ts';
import { proxiesRoutes } from './modules/proxies/proxies.routes.ts';
import { reconciliationRoutes } from './modules/reconciliation/reconciliation.routes.ts';
import { readFigures } from './modules/reconciliation/reconciliation.service.ts';
import { systemRoutes } from './modules/system/system.routes.ts';
import { transactionsRoutes } from './modules/transactions/transactions.routes.ts';
import { referralsRoutes } from './modules/referrals/referrals.routes.ts';
import { usageRoutes } from './modules/usage/usage.routes.ts';
import { searchRoutes } from './modules/search/search.routes.ts';
import { timelineRoutes } from './modules/timeline/timeline.routes.ts';
import { alertsRoutes } from './modules/billing/alerts.routes.ts';
import { receiptsRoutes } from './modules/billing/receipts.routes.ts';
import { deskRoutes } from './modules/support/desk.routes.ts';
import { supportRoutes } from './modules/support/support.routes.ts';
import { userAdministrationRoutes } from './modules/user-administration/user-administration.routes.ts';
import { profileRoutes } from './modules/profile/profile.routes.ts';

/** Time limit of the health check's `select 1`. */
const PING_LIMIT_MS = 1000;

const access: Access = {
  authenticateUser,
  authenticateNode: gateway.authenticateNode,
};

/** Builds the HTTP server: plugins, the error handler and the routes. It does not listen. */
export async function buildApp(ctx: Ctx): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = ctx.log;
  const listeners = new Listeners(ctx.config, staticSecurityHeaders(ctx.config));
  const app = Fastify({
    serverFactory: listeners.createServer,
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // Unique over several API processes, so that logs and the audit log can be correlated.
    genReqId: () => randomUUID(),
    trustProxy: ctx.config.trustedProxies,
    bodyLimit: EMPTY_BODY_BYTES,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
  });
  app.decorate('ctx', ctx);
  app.decorate('listeners', listeners);
  app.decorate('access', access);
  app.decorate('downloads', new Downloads(app));
  app.decorate('uploads', new Uploads(app));
  app.decorate('invalidTokenLimiter', new InvalidTokenLimiter(ctx));
  app.decorateRequest('identity');
  app.setValidatorCompiler(compileValidator as never);
  app.setSerializerCompiler(compileSerializer as never);
  useErrors(app);
  useJsonBodies(app);
  await useSecurity(app, ctx.config);
  await useAdmission(app, listeners);
  app.addHook('preClose', () => listeners.closeInternally());
  await useDocumentation(app, ctx.config.brandName);
  await useCompression(app);
  useHealth(app, {
    database: () => ctx.db.query('select 1', [], { responseTimeoutMs: PING_LIMIT_MS }),
    gatewaySilenceMs: () => gateway.gatewaySilenceMs(ctx),
  });
  const longPolls = new gateway.LongPolls();
  const browserErrors = new BrowserErrors(ctx.log);
  useMetrics(app, {
    poolUsage: () => ctx.poolUsage(),
    passwordHashes: passwordHashUsage,
    tokenRefreshes: refreshUsage,
    figures: async () => ({
      ...(await readFigures(ctx)),
      ...(await readKeyFigures(ctx)),
      chains: await readChainFigures(ctx),
      freeDnsPorts: await gateway.countFreeDnsPorts(ctx),
      failedJobs: await countFailed(ctx),
    }),
    browserErrors: () => browserErrors.counts,
    longPolls: () => longPolls.size,
  });

  registerRoutes(app, longPolls, browserErrors);
  await serveWebApp(app, ctx.config);
  return app;
}

/** One line per module. */
function registerRoutes(app: FastifyInstance, longPolls: gateway.LongPolls, browserErrors: BrowserErrors): void {
  const { ctx } = app;
  settingsRoutes(app);
  legalRoutes(app);
  browserErrorsRoutes(app, browserErrors);
  authRoutes(app);
  viewAsRoutes(app);
  profileRoutes(app);
  userAdministrationRoutes(app);
  timelineRoutes(app);
  searchRoutes(app);
  mailsRoutes(app);
  proxiesRoutes(app);
  inventoryRoutes(app);
  connectionsRoutes(app);
  gatewayRoutes(app, longPolls);
  nodesRoutes(app);
  receiptsRoutes(app);
  alertsRoutes(app);
  invoicesRoutes(app);
  transactionsRoutes(app);
  reconciliationRoutes(app);
  approvalsRoutes(app);
  auditLogRoutes(app);
  systemRoutes(app);
  notificationsRoutes(app);
  referralsRoutes(app);
  usageRoutes(app);
  dashboardRoutes(app);
  faqsRoutes(app);
  supportRoutes(app);
  deskRoutes(app);
  payInvoiceRoutes(app);
  liveRoutes(app, {
    findOpenSessions: (sessionIds) => findOpenSessions(ctx, sessionIds),
    onConnectionsChanged: (topic, connectionIds) => gateway.respondToWatches(ctx, longPolls, topic, connectionIds),
    onEventsLost: () => longPolls.respondToAll(),
  });

  if (ctx.config.isDevelopment) {
    mailboxRoutes(app);
    downloadRoutes(app);
  }
}
