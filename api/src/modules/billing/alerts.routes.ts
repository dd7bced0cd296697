import { getAlertSettings, saveAlertSettings } from '@cellhop/contract/alerts';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as alerts from './alert-settings.service.ts';

export function alertsRoutes(app: FastifyInstance): void {
  route(app, getAlertSettings, async ({ ctx, actor }) => ({ data: await alerts.getAlertSettings(ctx, actor) }));
  route(app, saveAlertSettings, async ({ ctx, actor, body }) => ({
    data: await alerts.saveAlertSettings(ctx, actor, body),
  }));
}
