import { plain } from './endpoint.ts';
import type * as full from './notifications.ts';

/** All the HTML that a notification may have; `a` with `href` alone, to an https address or to a path of the web app. */
export const notificationTags = ['a', 'b', 'i', 'br', 'p', 'ul', 'li'] as const;

export type NotificationTag = (typeof notificationTags)[number];

/** May a notification link there? To nothing but https and the web app's own pages. */
export function isNotificationLink(href: string): boolean {
  return /^https:\/\/[^\s/\\]/i.test(href) || /^\/(?![/\\])[^\s\\]*$/.test(href);
}

export const listNotifications = plain<typeof full.listNotifications>({
  method: 'GET',
  url: '/v1/notifications',
  access: 'user',
});
export const markNotificationsRead = plain<typeof full.markNotificationsRead>({
  method: 'POST',
  url: '/v1/notifications/mark-read',
  access: 'user',
});
