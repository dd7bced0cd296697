import { getSettings } from '@cellhop/contract/settings';
import type { FastifyInstance } from 'fastify';
import { route } from './route.ts';

/** Settings of the web app that it needs before sign-in. */
export function settingsRoutes(app: FastifyInstance): void {
  const { brandName, isDevelopment, publicUrl, contactEmail = null, refundWindowMs } = app.ctx.config;
  const refundMinutes = refundWindowMs / 60_000;
  route(app, getSettings, async () => ({ data: { brandName, isDevelopment, publicUrl, contactEmail, refundMinutes } }));
}
