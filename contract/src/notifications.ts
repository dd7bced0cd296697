import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { NOTIFICATIONS_MAX } from './limits.ts';
import { data, dateSchema, idSchema, paged, pageQuery } from './schemas.ts';

export const notificationSchema = z.object({
  id: idSchema,
  /** HTML of the tags below, in the user's language. */
  description: z.string(),
  /** More of the same, where one line does not say it all. */
  content: z.string().nullable(),
  createdAt: dateSchema,
  isRead: z.boolean(),
});
export type Notification = z.infer<typeof notificationSchema>;

/** All the HTML that a notification may have; `a` with `href` alone, to an https address or to a path of the web app. */
export const notificationTags = ['a', 'b', 'i', 'br', 'p', 'ul', 'li'] as const;
export type NotificationTag = (typeof notificationTags)[number];

/** May a notification link there? To nothing but https and the web app's own pages. */
export function isNotificationLink(href: string): boolean {
  return /^https:\/\/[^\s/\\]/i.test(href) || /^\/(?![/\\])[^\s\\]*$/.test(href);
}

export const listNotifications = endpoint({
  method: 'GET',
  url: '/v1/notifications',
  access: 'user',
  summary: "The user's notifications, newest first",
  query: z.strictObject(pageQuery),
  response: paged(notificationSchema).extend({
    /** Of all pages. */
    unreadCount: z.int().nonnegative(),
  }),
});

export const markNotificationsRead = endpoint({
  method: 'POST',
  url: '/v1/notifications/mark-read',
  access: 'user',
  summary: "Mark notifications as read; ids that are not the user's are left alone",
  body: z.strictObject({ ids: z.array(idSchema).min(1).max(NOTIFICATIONS_MAX) }),
  response: data(z.object({ unreadCount: z.int().nonnegative() })),
});
