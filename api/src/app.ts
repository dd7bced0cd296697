import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Ctx } from './ctx.ts';
import { downloadRoutes } from './dev/download.routes.ts';
import { mailboxRoutes } from './dev/mailbox.routes.ts';
import { payInvoiceRoutes } from './dev/pay-invoice.routes.ts';
import { useDocumentation } from './http/documentation.ts';
import { answerError, useErrors } from './http/errors.ts';
import { useHealth } from './http/health.ts';
import { useMetrics } from './http/metrics.ts';
import type { Access } from './http/route.ts';
import { compileSerializer } from './http/serializer.ts';
import { useSecurity } from './http/security.ts';
import { settingsRoutes } from './http/settings.ts';
import { compileValidator } from './http/validation.ts';
import { serveWebApp } from './http/web-app.ts';
import { liveRoutes } from './live/live.routes.ts';
import { authRoutes } from './modules/auth/auth.routes.ts';
import { passwordHashesUse } from './modules/auth/passwords.ts';
import { securityRoutes } from './modules/auth/security.routes.ts';
import { authenticateUser, findOpenSessions } from './modules/auth/sessions.service.ts';
import { connectionsRoutes } from './modules/connections/connections.routes.ts';
import { faqsRoutes } from './modules/faqs/faqs.routes.ts';
import { invoicesRoutes } from './modules/invoices/invoices.routes.ts';
import { readKeyFigures } from './modules/key-rotation/key-rotation.service.ts';
import { meteringRoutes } from './modules/metering/metering.routes.ts';
import * as metering from './modules/metering/metering.service.ts';
import { notificationsRoutes } from './modules/notifications/notifications.routes.ts';
import { proxiesRoutes } from './modules/proxies/proxies.routes.ts';
import { reconciliationRoutes } from './modules/reconciliation/reconciliation.routes.ts';
import { readFigures } from './modules/reconciliation/reconciliation.service.ts';
import { statementRoutes } from './modules/statement/statement.routes.ts';
import { referralsRoutes } from './modules/referrals/referrals.routes.ts';
import { usageRoutes } from './modules/usage/usage.routes.ts';
import { receiptsRoutes } from './modules/receipts/receipts.routes.ts';
import { supportRoutes } from './modules/support/support.routes.ts';
import { userAdministrationRoutes } from './modules/user-administration/user-administration.routes.ts';
import { usersRoutes } from './modules/users/users.routes.ts';

/** A gateway reports thousands of connections in one request; everybody else sends forms. */
const BODY_LIMIT_BYTES = 1_000_000;

const access: Access = {
  authenticateUser,
  authenticateNode: metering.authenticateNode,
};

/** Builds the HTTP server: plugins, the error handler and one line per module. It does not listen. */
export async function buildApp(ctx: Ctx): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = ctx.log;
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // Unlike a counter, one that is found again in the logs of several nodes, and in the audit log.
    genReqId: () => randomUUID(),
    trustProxy: ctx.config.trustedProxies,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
  });
  app.decorate('ctx', ctx);
  app.decorate('access', access);
  app.decorateRequest('identity');
  app.setValidatorCompiler(compileValidator as never);
  app.setSerializerCompiler(compileSerializer as never);
  useErrors(app);
  acceptEmptyJson(app);
  await useSecurity(app, ctx.config);
  await useDocumentation(app, ctx.config.brandName);
  useHealth(app, { database: () => ctx.db.query('select 1'), gatewaySilenceMs: () => metering.gatewaySilenceMs(ctx) });
  useMetrics(app, {
    poolUse: () => ctx.poolUse(),
    passwordHashes: passwordHashesUse,
    figures: async () => ({ ...(await readFigures(ctx)), ...(await readKeyFigures(ctx)) }),
  });

  settingsRoutes(app);
  authRoutes(app);
  securityRoutes(app);
  usersRoutes(app);
  userAdministrationRoutes(app);
  proxiesRoutes(app);
  connectionsRoutes(app);
  meteringRoutes(app);
  receiptsRoutes(app);
  invoicesRoutes(app);
  statementRoutes(app);
  reconciliationRoutes(app);
  notificationsRoutes(app);
  referralsRoutes(app);
  usageRoutes(app);
  faqsRoutes(app);
  supportRoutes(app);
  payInvoiceRoutes(app);
  liveRoutes(app, (sessionIds) => findOpenSessions(ctx, sessionIds));

  if (ctx.config.isDevelopment) {
    mailboxRoutes(app);
    downloadRoutes(app);
  }
  await serveWebApp(app);
  return app;
}

/** Some clients name a content type without sending a body; that is no malformed JSON. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, body, done);
  });
}
