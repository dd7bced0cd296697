import { listNotifications, markNotificationsRead } from '@cellhop/contract/notifications';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as notifications from './notifications.service.ts';

export function notificationsRoutes(app: FastifyInstance): void {
  route(app, listNotifications, ({ ctx, actor, query }) => notifications.listOwn(ctx, actor, query));
  route(app, markNotificationsRead, async ({ ctx, actor, body }) => ({
    data: { unreadCount: await notifications.markRead(ctx, actor, body.ids) },
  }));
}
