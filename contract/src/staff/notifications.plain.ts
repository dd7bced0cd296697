import { plain } from '../endpoint.ts';
import type * as full from './notifications.ts';

export const listUserNotifications = plain<typeof full.listUserNotifications>({
  method: 'GET',
  url: '/v1/notifications/admin',
  access: { permission: 'NOTIFICATIONS_READ' },
});
export const notifyUser = plain<typeof full.notifyUser>({
  method: 'POST',
  url: '/v1/notifications/admin',
  access: { permission: 'NOTIFICATIONS_WRITE' },
});
export const listBroadcasts = plain<typeof full.listBroadcasts>({
  method: 'GET',
  url: '/v1/notifications/admin/broadcasts',
  access: { permission: 'MASS_NOTIFICATIONS_READ' },
});
export const sendBroadcast = plain<typeof full.sendBroadcast>({
  method: 'POST',
  url: '/v1/notifications/admin/broadcasts',
  access: { permission: 'MASS_NOTIFICATIONS_WRITE' },
});
export const countRecipients = plain<typeof full.countRecipients>({
  method: 'POST',
  url: '/v1/notifications/admin/broadcasts/recipients',
  access: { permission: 'MASS_NOTIFICATIONS_WRITE' },
});
