import { listNotifications, markNotificationsRead } from '@cellhop/contract/notifications';
import * as staff from '@cellhop/contract/staff/notifications';
import type { FastifyInstance } from 'fastify';
import { readIdempotencyKey } from '../../http/validation.ts';
import { route } from '../../http/route.ts';
import { testBroadcast } from './broadcast-tests.service.ts';
import * as broadcasts from './broadcasts.service.ts';
import * as notifications from './notifications.service.ts';

export function notificationsRoutes(app: FastifyInstance): void {
  route(app, listNotifications, ({ ctx, actor, query }) => notifications.listOwn(ctx, actor, query));
  route(app, markNotificationsRead, async ({ ctx, actor, body }) => ({
    data: { unreadCount: await notifications.markRead(ctx, actor, body.ids) },
  }));
  staffRoutes(app);
}

function staffRoutes(app: FastifyInstance): void {
  route(app, staff.listUserNotifications, ({ ctx, query }) => notifications.listOfUser(ctx, query));
  route(app, staff.notifyUser, async ({ ctx, actor, body, headers, requester }) => ({
    data: await notifications.notifyUser(ctx, actor, body, readIdempotencyKey(headers), requester),
  }));
  route(app, staff.listBroadcasts, ({ ctx, query }) => broadcasts.listBroadcasts(ctx, query));
  route(app, staff.countRecipients, async ({ ctx, actor, body, requester }) => ({
    data: await broadcasts.countRecipients(ctx, actor, body.audience, requester),
  }));
  route(app, staff.testBroadcast, async ({ ctx, actor, body, requester }) => ({
    data: await testBroadcast(ctx, actor, body, requester),
  }));
  route(app, staff.cancelBroadcast, async ({ ctx, actor, params, requester }) => ({
    data: await broadcasts.cancelBroadcast(ctx, actor, params.id, requester),
  }));
  route(app, staff.sendBroadcast, async ({ ctx, actor, body, headers, requester }) => ({
    data: await broadcasts.sendBroadcast(ctx, actor, body, readIdempotencyKey(headers), requester),
  }));
}
