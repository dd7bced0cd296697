import { z } from 'zod';
import {
  dateInputSchema,
  dollarsSchema,
  idSchema,
  type LanguageCode,
  languageCodeSchema,
  plainText,
} from '../fields.ts';
import {
  BALANCE_FILTER_DOLLARS_MAX,
  BROADCAST_USERS_MAX,
  FILTER_VALUE_LENGTH_MAX,
  NOTIFICATION_CONTENT_LENGTH_MAX,
  NOTIFICATION_DESCRIPTION_LENGTH_MAX,
} from '../limits.ts';
import type { Permission } from '../permissions.ts';

/** HTML; tags that a notification may not contain are removed. */
export const notificationTextSchema = z.strictObject({
  description: plainText(1, NOTIFICATION_DESCRIPTION_LENGTH_MAX),
  /** Details, if the description is not enough. */
  content: plainText(1, NOTIFICATION_CONTENT_LENGTH_MAX).optional(),
});
export type NotificationText = z.infer<typeof notificationTextSchema>;

/**
 * Users see the text in their current language. If all recipients have one language, the other text may be left out: who changes the
 * language afterwards sees the one that there is.
 */
export const broadcastTextsSchema = z.strictObject({
  en: notificationTextSchema.optional(),
  ru: notificationTextSchema.optional(),
});
export type BroadcastTexts = z.infer<typeof broadcastTextsSchema>;

const balanceSchema = dollarsSchema.min(0).max(BALANCE_FILTER_DOLLARS_MAX);

/** The recipients: users who match all given filters, never deleted users. */
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

/** The languages in which a broadcast needs a text. */
export function requiredLanguages({ languageCode }: Audience): readonly LanguageCode[] {
  return languageCode === undefined ? languageCodeSchema.options : [languageCode];
}

/** A filter counts users by what it names, so it needs the permission to read that. */
export const permissionOfFilter = {
  status: 'USERS_READ',
  isConfirmed: 'USERS_READ',
  languageCode: 'USERS_READ',
  roleName: 'USERS_READ',
  balanceFrom: 'USERS_READ',
  balanceBelow: 'USERS_READ',
  userIds: 'USERS_READ',
  hasOpenConnection: 'CONNECTIONS_READ',
  registeredFrom: 'USERS_READ',
  registeredBefore: 'USERS_READ',
} as const satisfies Record<keyof Audience, Permission>;
