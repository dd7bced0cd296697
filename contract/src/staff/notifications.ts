/** Notifications that staff send to one user or to many (broadcasts). */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { RECIPIENTS_COUNTED_MAX, TEST_BROADCASTS_PER_HOUR } from '../limits.ts';
import { notificationSchema } from '../notifications.ts';
import {
  data,
  dateInputSchema,
  dateSchema,
  idParams,
  idSchema,
  listed,
  listQuery,
  paged,
  pageQuery,
} from '../schemas.ts';
import {
  audienceSchema,
  broadcastTextsSchema,
  notificationTextSchema,
  requiredLanguages,
} from './notifications.forms.ts';

export { audienceSchema, type Audience, notificationTextSchema, type NotificationText } from './notifications.forms.ts';

/** A text that was not given is the same as the other one. */
const textsSchema = z.strictObject({ en: notificationTextSchema, ru: notificationTextSchema });

export const broadcastSchema = z.object({
  id: idSchema,
  texts: textsSchema,
  /** Empty: all active, confirmed users. */
  audience: audienceSchema,
  /** The staff member; null: sent by the program. */
  createdBy: z.object({ id: idSchema, email: z.string() }).nullable(),
  createdAt: dateSchema,
  /** When its delivery begins; null: at once. */
  scheduledAt: dateSchema.nullable(),
  /** It is scheduled, and has neither begun nor been cancelled. */
  isWaiting: z.boolean(),
  /** Somebody has not got it yet, or not by email: cancelling stops the rest. */
  canCancel: z.boolean(),
  /** Null if it was not cancelled. `by` is null if its author may no longer send. */
  cancelled: z.object({ at: dateSchema, by: z.object({ id: idSchema, email: z.string() }).nullable() }).nullable(),
  /** Whether its readers get it by email, too, unless they have switched that off. */
  isMailed: z.boolean(),
  /** The number of mails so far; it grows for a while after `sentAt`. 0 if the recipients are few. */
  mailCount: z.int().nonnegative(),
  /** Fewer users than `RECIPIENTS_TOLD_MIN` matched: the counts are not told. */
  isForFew: z.boolean(),
  /** How many users matched when it was sent, as `countRecipients` counts them; null: not counted, or few. */
  recipientCount: z.int().nonnegative().nullable(),
  /** The number of recipients reached; it grows until `sentAt`. 0 if they are few. */
  readerCount: z.int().nonnegative(),
  /** When the last recipient was reached; null until then. */
  sentAt: dateSchema.nullable(),
});
export type Broadcast = z.infer<typeof broadcastSchema>;

export const sendBroadcastBody = z
  .strictObject({
    texts: broadcastTextsSchema,
    audience: audienceSchema.default({}),
    /** In the future, at most BROADCAST_DAYS_AHEAD_MAX days ahead. Without it: at once. */
    scheduledAt: dateInputSchema.optional(),
    isMailed: z.boolean().default(false),
  })
  .superRefine(({ texts, audience }, context) => {
    for (const language of requiredLanguages(audience))
      if (texts[language] === undefined)
        context.addIssue({ code: 'custom', message: 'required', path: ['texts', language] });
  });
export type SendBroadcastBody = z.output<typeof sendBroadcastBody>;

export const sendBroadcast = endpoint({
  method: 'POST',
  url: '/v1/notifications/admin/broadcasts',
  access: { permission: 'MASS_NOTIFICATIONS_WRITE' },
  summary:
    'Send a notification to all users or to some, now or later; a repeat with the same Idempotency-Key sends nothing',
  body: sendBroadcastBody,
  response: data(broadcastSchema),
  status: 201,
  errors: ['NOT_FOUND', 'PERMISSION_LACKING', 'IDEMPOTENCY_KEY_REUSED'],
});

export const testBroadcast = endpoint({
  method: 'POST',
  url: '/v1/notifications/admin/broadcasts/test',
  access: { permission: 'MASS_NOTIFICATIONS_WRITE' },
  summary: `Send the texts to the caller alone, as notifications and mails; at most ${TEST_BROADCASTS_PER_HOUR} an hour`,
  body: z
    .strictObject({ texts: broadcastTextsSchema, isMailed: z.boolean().default(false) })
    .refine(({ texts }) => texts.en !== undefined || texts.ru !== undefined, { message: 'required', path: ['texts'] }),
  response: data(z.object({ count: z.int() })),
  status: 201,
  errors: ['RATE_LIMITED'],
});

export const cancelBroadcast = endpoint({
  method: 'POST',
  url: '/v1/notifications/admin/broadcasts/{id}/cancel',
  access: { permission: 'MASS_NOTIFICATIONS_WRITE' },
  summary: 'Cancel a broadcast: it is not delivered to others, in the app or by email; a repeat changes nothing',
  params: idParams,
  response: data(broadcastSchema),
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});

export const countRecipients = endpoint({
  method: 'POST',
  url: '/v1/notifications/admin/broadcasts/recipients',
  access: { permission: 'MASS_NOTIFICATIONS_WRITE' },
  summary: `Count the users whom a broadcast would reach now; ${RECIPIENTS_COUNTED_MAX} means that many or more. It is recorded`,
  body: z.strictObject({ audience: audienceSchema }),
  response: data(
    z.object({
      /** If they are few, the largest number that is not told. */
      count: z.int().nonnegative().max(RECIPIENTS_COUNTED_MAX),
      /** Fewer than `RECIPIENTS_TOLD_MIN`, perhaps none. */
      isFew: z.boolean(),
    }),
  ),
  errors: ['PERMISSION_LACKING'],
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
  response: paged(notificationSchema).extend({
    unreadCount: z.int().nonnegative(),
    user: z.object({ id: idSchema, email: z.string() }),
  }),
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
