/** Who did what to whom. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { EMAIL_LENGTH_MAX } from '../limits.ts';
import { dateInputSchema, dateSchema, idSchema, listQuery, listed, repeated } from '../schemas.ts';
import { namedUserSchema } from './approvals.ts';

/** Names of actions and types of subjects, such as USER_BLOCKED. Older releases may have recorded others than this one does. */
const recordedName = z
  .string()
  .max(60)
  .regex(/^[A-Z0-9_]+$/);
const ACTIONS_MAX = 50;
const values = z.record(z.string(), z.unknown());

export const auditEntrySchema = z.object({
  /** Grows with time. */
  id: z.string(),
  createdAt: dateSchema,
  action: z.string(),
  /** Null before authentication, and for the operator on the command line. */
  actor: namedUserSchema.nullable(),
  /** The affected user. */
  user: namedUserSchema.nullable(),
  subject: z.object({ type: z.string(), id: z.string().nullable() }).nullable(),
  ip: z.string().nullable(),
  /** Such as "Firefox on Windows". */
  device: z.string().nullable(),
  /** The id of the HTTP request, as in the log. */
  requestId: z.string().nullable(),
  reason: z.string().nullable(),
  /** The changed values. */
  before: values.nullable(),
  after: values.nullable(),
  details: values,
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const listAuditLog = endpoint({
  method: 'GET',
  url: '/v1/audit-log/admin',
  access: { permission: 'AUDIT_READ' },
  summary: 'The audit log, newest first',
  query: z
    .strictObject({
      ...listQuery,
      /** The id or the email of who did it. */
      actor: z.string().min(1).max(EMAIL_LENGTH_MAX).optional(),
      action: repeated(recordedName, ACTIONS_MAX),
      subjectType: recordedName.optional(),
      subjectId: idSchema.optional(),
      /** The affected user. */
      userId: idSchema.optional(),
      /** Inclusive. */
      from: dateInputSchema.optional(),
      /** Exclusive. */
      to: dateInputSchema.optional(),
    })
    .refine(({ subjectType, subjectId }) => subjectId === undefined || subjectType !== undefined, {
      message: 'needs a subjectType',
      path: ['subjectId'],
    }),
  response: listed(auditEntrySchema),
});
