import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { dateSchema, idParams, idSchema, languageCodeSchema, listQuery, listed } from '../schemas.ts';

export const mailKinds = [
  'confirm-email',
  'recover-password',
  'second-factor-reset',
  'password-changed',
  'new-sign-in',
  'second-factor-off',
  'account-deleted',
  'top-up',
  'ticket-answer',
  'low-balance',
  'near-cap',
  'no-money',
  'ended-idle',
  'ended-exit-lost',
  'database-restored',
  'disk-full',
  'backup-late',
  'exits-failing',
  'certificate-ending',
  'certificate-expired',
  'news',
] as const;
export type MailKind = (typeof mailKinds)[number];

/** Staff never see texts, links or codes. */
export const sentMailSchema = z.object({
  id: idSchema,
  kind: z.enum(mailKinds),
  languageCode: languageCodeSchema,
  /** SENT: the mail server accepted it. FAILED: the last attempt failed, or the link had expired; it may still be retried. */
  status: z.enum(['QUEUED', 'SENT', 'FAILED']),
  queuedAt: dateSchema,
  /** When it was sent, or when the last attempt failed. */
  endedAt: dateSchema.nullable(),
});
export type SentMail = z.infer<typeof sentMailSchema>;

export const listMailsToUser = endpoint({
  method: 'GET',
  url: '/v1/users/admin/{id}/mails',
  access: { permission: 'USERS_READ' },
  summary: 'Mails to a user in the last 90 days, newest first, without their contents',
  params: idParams,
  query: z.strictObject(listQuery),
  response: listed(sentMailSchema),
  errors: ['NOT_FOUND'],
});
