import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Ctx } from '../ctx.ts';
import { useAdmission } from './admission.ts';
import { EMPTY_BODY_BYTES, useJsonBodies } from './body.ts';
import { useCompression, compileSerializer } from './responses.ts';
import { useDocumentation } from './documentation.ts';
import { downloadLimits, ticketUploadLimits, Transfers, uploadLimits } from './in-progress.ts';
import { sendError, useErrors } from './errors.ts';
import { InvalidTokenLimiter } from './invalid-token-limiter.ts';
import { Listeners } from './listeners.ts';
import type { Access } from './route.ts';
import { createShares } from './shares.ts';
import { staticSecurityHeaders, useSecurity } from './security.ts';
import { compileValidator } from './validation.ts';

/**
 * A request whose target is a whole URL (RFC 9112, section 3.2.2) is served as one for its path: the host is that of whoever sent it, and no
 * redirect may lead there.
 */
function toOriginForm(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path === target || path.startsWith('/') ? path : `/${path}`;
}

/** The server without routes: sockets, limits, validation, errors and headers. */
export async function createServer(ctx: Ctx, access: Access): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = ctx.log;
  const listeners = new Listeners(ctx.config, staticSecurityHeaders(ctx.config));
  const app = Fastify({
    serverFactory: listeners.createServer,
    rewriteUrl: ({ url = '/' }) => toOriginForm(url),
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
  app.decorate('downloads', new Transfers(app, downloadLimits));
  app.decorate('uploads', new Transfers(app, uploadLimits));
  app.decorate('ticketUploads', new Transfers(app, ticketUploadLimits));
  app.decorate('invalidTokenLimiter', new InvalidTokenLimiter(ctx));
  app.decorate('shares', createShares(ctx.config));
  app.decorateRequest('identity');
  app.setValidatorCompiler(compileValidator as never);
  app.setSerializerCompiler(compileSerializer as never);
  useErrors(app);
  useJsonBodies(app);
  await useSecurity(app, ctx.config);
  useAdmission(app, listeners);
  app.addHook('preClose', () => listeners.close());
  await useDocumentation(app, ctx.config.brandName);
  await useCompression(app);
  return app;
}
