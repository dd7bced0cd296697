/** What staff tell users: one of them, or many at once. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { BROADCAST_USERS_MAX, NOTIFICATION_CONTENT_LENGTH_MAX, NOTIFICATION_DESCRIPTION_LENGTH_MAX } from './limits.ts';
import { notificationSchema } from './notifications.ts';
import {
  data,
  dateInputSchema,
  dateSchema,
  idSchema,
  languageCodeSchema,
  paged,
  pageQuery,
  plainText,
} from './schemas.ts';

/** HTML; what a notification may not have is left out. */
const notificationTextSchema = z.strictObject({
  description: plainText(1, NOTIFICATION_DESCRIPTION_LENGTH_MAX),
  /** More of the same, where one line does not say it all. */
  content: plainText(1, NOTIFICATION_CONTENT_LENGTH_MAX).optional(),
});
export type NotificationText = z.infer<typeof notificationTextSchema>;

/** Who is meant: confirmed users for whom everything holds that is given. */
export const audienceSchema = z.strictObject({
  languageCode: languageCodeSchema.optional(),
  userIds: z.array(idSchema).min(1).max(BROADCAST_USERS_MAX).optional(),
  hasOpenConnection: z.boolean().optional(),
  registeredFrom: dateInputSchema.optional(),
  registeredBefore: dateInputSchema.optional(),
});
export type Audience = z.infer<typeof audienceSchema>;

/** Each reader sees the text in his language, also after he has changed it. */
const textsSchema = z.strictObject({ en: notificationTextSchema, ru: notificationTextSchema });

export const broadcastSchema = z.object({
  id: idSchema,
  texts: textsSchema,
  /** Empty: everybody. */
  audience: audienceSchema,
  /** The staff member; null: the program itself. */
  createdBy: z.object({ id: idSchema, email: z.string() }).nullable(),
  createdAt: dateSchema,
  /** How many have it; it grows until `sentAt`. */
  readerCount: z.int().nonnegative(),
  /** When the last one got it; null until then. */
  sentAt: dateSchema.nullable(),
});
export type Broadcast = z.infer<typeof broadcastSchema>;

const sendBroadcastBody = z.strictObject({ texts: textsSchema, audience: audienceSchema.default({}) });
export type SendBroadcastBody = z.output<typeof sendBroadcastBody>;

export const sendBroadcast = endpoint({
  method: 'POST',
  url: '/v1/notifications/admin/broadcasts',
  access: { permission: 'MASS_NOTIFICATIONS_WRITE' },
  summary: 'Tell something to all users or to some; a repeat with the same Idempotency-Key sends nothing again',
  body: sendBroadcastBody,
  response: data(broadcastSchema),
  status: 201,
  errors: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
});

export const listBroadcasts = endpoint({
  method: 'GET',
  url: '/v1/notifications/admin/broadcasts',
  access: { permission: 'MASS_NOTIFICATIONS_READ' },
  summary: 'Broadcasts, newest first',
  query: z.strictObject(pageQuery),
  response: paged(broadcastSchema),
});

export const listUserNotifications = endpoint({
  method: 'GET',
  url: '/v1/notifications/admin',
  access: { permission: 'NOTIFICATIONS_READ' },
  summary: "A user's notifications as he sees them, newest first",
  query: z.strictObject({ ...pageQuery, userId: idSchema }),
  response: paged(notificationSchema).extend({ unreadCount: z.int().nonnegative() }),
  errors: ['NOT_FOUND'],
});

const notifyUserBody = notificationTextSchema.extend({ userId: idSchema });
export type NotifyUserBody = z.infer<typeof notifyUserBody>;

export const notifyUser = endpoint({
  method: 'POST',
  url: '/v1/notifications/admin',
  access: { permission: 'NOTIFICATIONS_WRITE' },
  summary: 'Tell something to one user; a repeat with the same Idempotency-Key gives the same notification',
  body: notifyUserBody,
  response: data(notificationSchema),
  status: 201,
  errors: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
});
