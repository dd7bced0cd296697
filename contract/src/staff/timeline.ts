/** What happened in the account of a user, newest first. */
import { z } from 'zod';
import { connectionStatuses, endReasons } from '../connections.ts';
import { endpoint } from '../endpoint.ts';
import { PAGE_SIZE, PAGE_SIZE_MAX } from '../limits.ts';
import { dateSchema, dollarsSchema, idParams, idSchema, numberInUrl, repeated } from '../schemas.ts';
import { transactionKinds } from '../transactions.values.ts';
import { timelineKinds } from './lists.values.ts';

const connection = { connectionId: idSchema, ip: z.string() };
const base = { id: z.string(), at: dateSchema };

export const timelineEntrySchema = z.discriminatedUnion('kind', [
  /** Actions of the user on their own account: sign-ins, passwords, sessions. `action` is that of the audit log. */
  z.object({
    ...base,
    kind: z.literal('ACCOUNT'),
    action: z.string(),
    ip: z.string().nullable(),
    device: z.string().nullable(),
  }),
  /** A change by staff. */
  z.object({
    ...base,
    kind: z.literal('STAFF'),
    action: z.string(),
    actor: z.object({ id: idSchema, email: z.string() }).nullable(),
    reason: z.string().nullable(),
  }),
  /** Top-ups, bonuses and other credits that are not part of a connection. Charges are part of PURCHASE and END. */
  z.object({ ...base, kind: z.literal('MONEY'), transaction: z.enum(transactionKinds), amount: dollarsSchema }),
  /** `paidFor`: its cost until now. */
  z.object({
    ...base,
    kind: z.literal('PURCHASE'),
    ...connection,
    status: z.enum(connectionStatuses),
    paidFor: dollarsSchema,
  }),
  z.object({
    ...base,
    kind: z.literal('END'),
    ...connection,
    reason: z.enum(endReasons).nullable(),
    paidFor: dollarsSchema,
    /** KiB of payload, both directions together. */
    trafficUsed: z.number().nonnegative(),
  }),
  z.object({ ...base, kind: z.literal('TICKET'), ticketId: idSchema, name: z.string() }),
  z.object({ ...base, kind: z.literal('NOTIFICATION'), description: z.string(), isRead: z.boolean() }),
]);
export type TimelineEntry = z.infer<typeof timelineEntrySchema>;

/** Where the next page starts: time in microseconds, place of the kind, id. */
const positionSchema = z.string().regex(/^\d{1,16}_\d_[\w-]{1,40}$/);

export const getTimeline = endpoint({
  method: 'GET',
  url: '/v1/users/admin/{id}/timeline',
  access: { permission: 'USERS_READ' },
  summary: 'What happened in the account of a user, newest first; the kinds that the caller may read',
  params: idParams,
  query: z.strictObject({
    kind: repeated(z.enum(timelineKinds), timelineKinds.length),
    after: positionSchema.optional(),
    size: numberInUrl(z.int().min(1).max(PAGE_SIZE_MAX)).default(PAGE_SIZE),
  }),
  response: z.object({
    data: z.array(timelineEntrySchema),
    /** For `after`; null at the end. */
    next: z.string().nullable(),
    /** The kinds that the caller may read. */
    kinds: z.array(z.enum(timelineKinds)),
  }),
  errors: ['NOT_FOUND'],
});
