import { getSettings } from '@cellhop/contract/settings';
import type { FastifyInstance } from 'fastify';
import { listEnabledCurrencies } from '../modules/invoices/invoices.service.ts';
import { route } from './route.ts';

/** Settings of the web app that it needs before sign-in. */
export function settingsRoutes(app: FastifyInstance): void {
  const { brandName, isDevelopment, publicUrl, contactEmail = null, refundWindowMs } = app.ctx.config;
  const refundMinutes = refundWindowMs / 60_000;
  const currencies = listEnabledCurrencies(app.ctx);
  const data = { brandName, isDevelopment, publicUrl, contactEmail, refundMinutes, currencies };
  route(app, getSettings, async () => ({ data }));
}
