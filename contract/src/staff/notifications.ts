/** Notifications that staff send to one user or to many (broadcasts). */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import {
  BALANCE_FILTER_DOLLARS_MAX,
  BROADCAST_USERS_MAX,
  FILTER_VALUE_LENGTH_MAX,
  NOTIFICATION_CONTENT_LENGTH_MAX,
  NOTIFICATION_DESCRIPTION_LENGTH_MAX,
  RECIPIENTS_COUNTED_MAX,
} from '../limits.ts';
import { notificationSchema } from '../notifications.ts';
import {
  data,
  dateInputSchema,
  dateSchema,
  dollarsSchema,
  idSchema,
  languageCodeSchema,
  listed,
  listQuery,
  paged,
  pageQuery,
  plainText,
} from '../schemas.ts';

/** HTML; tags that a notification may not contain are removed. */
export const notificationTextSchema = z.strictObject({
  description: plainText(1, NOTIFICATION_DESCRIPTION_LENGTH_MAX),
  /** Details, if the description is not enough. */
  content: plainText(1, NOTIFICATION_CONTENT_LENGTH_MAX).optional(),
});
export type NotificationText = z.infer<typeof notificationTextSchema>;

const balanceSchema = dollarsSchema.min(0).max(BALANCE_FILTER_DOLLARS_MAX);

/** The recipients: users who match all given filters. Deleted users never do. */
export const audienceSchema = z.strictObject({
  /** Without it: active users. */
  status: z.enum(['ACTIVE', 'BLOCKED']).optional(),
  /** Whether the email is confirmed; without it: confirmed users. */
  isConfirmed: z.boolean().optional(),
  languageCode: languageCodeSchema.optional(),
  roleName: z.string().min(1).max(FILTER_VALUE_LENGTH_MAX).optional(),
  /** US dollars. */
  balanceFrom: balanceSchema.optional(),
  balanceBelow: balanceSchema.optional(),
  userIds: z.array(idSchema).min(1).max(BROADCAST_USERS_MAX).optional(),
  hasOpenConnection: z.boolean().optional(),
  registeredFrom: dateInputSchema.optional(),
  registeredBefore: dateInputSchema.optional(),
});
export type Audience = z.infer<typeof audienceSchema>;

/** Users see the text in their current language. */
const textsSchema = z.strictObject({ en: notificationTextSchema, ru: notificationTextSchema });

export const broadcastSchema = z.object({
  id: idSchema,
  texts: textsSchema,
  /** Empty: all active, confirmed users. */
  audience: audienceSchema,
  /** The staff member; null: sent by the program. */
  createdBy: z.object({ id: idSchema, email: z.string() }).nullable(),
  createdAt: dateSchema,
  /** How many users matched when it was sent, as `countRecipients` counts them; null: not counted. */
  recipientCount: z.int().nonnegative().nullable(),
  /** The number of recipients reached; it grows until `sentAt`. */
  readerCount: z.int().nonnegative(),
  /** When the last recipient was reached; null until then. */
  sentAt: dateSchema.nullable(),
});
export type Broadcast = z.infer<typeof broadcastSchema>;

export const sendBroadcastBody = z.strictObject({ texts: textsSchema, audience: audienceSchema.default({}) });
export type SendBroadcastBody = z.output<typeof sendBroadcastBody>;

export const sendBroadcast = endpoint({
  method: 'POST',
  url: '/v1/notifications/admin/broadcasts',
  access: { permission: 'MASS_NOTIFICATIONS_WRITE' },
  summary: 'Send a notification to all users or to some; a repeat with the same Idempotency-Key sends nothing',
  body: sendBroadcastBody,
  response: data(broadcastSchema),
  status: 201,
  errors: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
});

export const countRecipients = endpoint({
  method: 'POST',
  url: '/v1/notifications/admin/broadcasts/recipients',
  access: { permission: 'MASS_NOTIFICATIONS_WRITE' },
  summary: `Count the users whom a broadcast would reach now; ${RECIPIENTS_COUNTED_MAX} means that many or more`,
  body: z.strictObject({ audience: audienceSchema }),
  response: data(z.object({ count: z.int().nonnegative().max(RECIPIENTS_COUNTED_MAX) })),
});

export const listBroadcasts = endpoint({
  method: 'GET',
  url: '/v1/notifications/admin/broadcasts',
  access: { permission: 'MASS_NOTIFICATIONS_READ' },
  summary: 'Broadcasts, newest first',
  query: z.strictObject(listQuery),
  response: listed(broadcastSchema),
});

export const listUserNotifications = endpoint({
  method: 'GET',
  url: '/v1/notifications/admin',
  access: { permission: 'NOTIFICATIONS_READ' },
  summary: "A user's notifications as they see them, newest first",
  query: z.strictObject({ ...pageQuery, userId: idSchema }),
  response: paged(notificationSchema).extend({ unreadCount: z.int().nonnegative() }),
  errors: ['NOT_FOUND'],
});

export const notifyUserBody = notificationTextSchema.extend({ userId: idSchema });
export type NotifyUserBody = z.infer<typeof notifyUserBody>;

export const notifyUser = endpoint({
  method: 'POST',
  url: '/v1/notifications/admin',
  access: { permission: 'NOTIFICATIONS_WRITE' },
  summary: 'Send a notification to one user; a repeat with the same Idempotency-Key returns the same one',
  body: notifyUserBody,
  response: data(notificationSchema),
  status: 201,
  errors: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
});
