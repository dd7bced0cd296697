import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { NOTIFICATIONS_MAX } from './limits.ts';
import { data, dateSchema, idSchema, paged, pageQuery } from './schemas.ts';

export const notificationSchema = z.object({
  id: idSchema,
  /** HTML of the tags below, in the user's language. */
  description: z.string(),
  /** Details, if the description is not enough. */
  content: z.string().nullable(),
  createdAt: dateSchema,
  isRead: z.boolean(),
});
export type Notification = z.infer<typeof notificationSchema>;

export const listNotifications = endpoint({
  method: 'GET',
  url: '/v1/notifications',
  access: 'user',
  summary: "The user's notifications, newest first",
  query: z.strictObject(pageQuery),
  response: paged(notificationSchema).extend({
    /** Unread notifications on all pages. */
    unreadCount: z.int().nonnegative(),
  }),
});

export const markNotificationsRead = endpoint({
  method: 'POST',
  url: '/v1/notifications/mark-read',
  access: 'user',
  summary: 'Mark notifications as read; ids of other users are ignored',
  body: z.strictObject({ ids: z.array(idSchema).min(1).max(NOTIFICATIONS_MAX) }),
  response: data(z.object({ unreadCount: z.int().nonnegative() })),
});
