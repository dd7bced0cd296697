/** The numbers on the first screen of staff: what needs attention, sums over a range, and the current state. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { currencies } from '../invoices.values.ts';
import { ATTENTION_COUNTED_MAX } from '../limits.ts';
import type { Permission } from '../permissions.ts';
import { data, dateSchema, dollarsSchema, idSchema } from '../schemas.ts';
import { reconciliationSchema } from '../transactions.ts';
import { rangeQuery, withRange } from '../usage.ts';
import { type RequestList, requestLists } from './lists.values.ts';

export const dashboardQuery = withRange(z.strictObject(rangeQuery));
export type DashboardQuery = z.infer<typeof dashboardQuery>;

/** Each part with the permissions of which one is enough to read it; without one, the part is null. */
export const dashboardParts = {
  revenue: ['TRANSACTIONS_READ', 'PAYMENTS_READ'],
  topUps: ['TRANSACTIONS_READ', 'PAYMENTS_READ'],
  traffic: ['CONNECTIONS_READ'],
  connections: ['CONNECTIONS_READ'],
  signUps: ['USERS_READ'],
  proxies: ['PROXIES_READ'],
  tickets: ['TICKETS_READ'],
  nodes: ['NODES_READ'],
  moneyCheck: ['SYSTEM_READ', 'TRANSACTIONS_READ'],
} as const satisfies Record<string, readonly Permission[]>;
export type DashboardPart = keyof typeof dashboardParts;

const countSchema = z.int().nonnegative();
/**
 * `values` has one number for each of the `steps`. `previousTotal` is that of the time before the range, as long as what has passed of the
 * range.
 */
const seriesSchema = <T extends z.ZodType>(amount: T) =>
  z.object({ total: amount, values: z.array(amount), previousTotal: amount });
const kibibytesSchema = z.number().nonnegative();
const states = { free: countSchema, sold: countSchema, unhealthy: countSchema };

const dashboardSchema = z.object({
  /** When each hour or day of the range begins. */
  steps: z.array(dateSchema),
  /** Charges minus refunds, when they were posted. */
  revenue: seriesSchema(dollarsSchema).nullable(),
  topUps: seriesSchema(dollarsSchema)
    .extend({
      /** The largest first. Null: not paid by an invoice. */
      byCurrency: z.array(
        z.object({ currency: z.enum(currencies).nullable(), amount: dollarsSchema, count: countSchema }),
      ),
    })
    .nullable(),
  traffic: z.object({ downloaded: seriesSchema(kibibytesSchema), uploaded: seriesSchema(kibibytesSchema) }).nullable(),
  connections: z.object({ live: countSchema }).nullable(),
  signUps: seriesSchema(countSchema).nullable(),
  proxies: z.object({ ...states, byCountry: z.array(z.object({ countryCode: z.string(), ...states })) }).nullable(),
  tickets: z
    .object({
      open: countSchema,
      /** The median for tickets that customers opened in the range and staff have answered. Null: there are none. */
      firstReplySeconds: z.number().nonnegative().nullable(),
    })
    .nullable(),
  nodes: z.object({ total: countSchema, online: countSchema }).nullable(),
  moneyCheck: reconciliationSchema.pick({ status: true, checkedAt: true, violationCount: true }).nullable(),
});
export type Dashboard = z.infer<typeof dashboardSchema>;

export const getDashboard = endpoint({
  method: 'GET',
  url: '/v1/dashboard/admin',
  access: 'staff',
  summary: 'The numbers that the role may read: sums over a range, and what is true now',
  query: dashboardQuery,
  response: data(dashboardSchema),
});

/** As `dashboardParts`, of what waits for somebody. Requests have the permissions of their lists. */
export const attentionParts = {
  tickets: ['TICKETS_READ'],
  heldPayments: ['PAYMENTS_READ'],
  unhealthyProxies: ['PROXIES_READ'],
  proxiesElsewhere: ['PROXIES_READ'],
  unreadableFiles: ['SYSTEM_READ'],
  silentNodes: ['NODES_READ'],
  failingNodes: ['NODES_READ'],
  endingCertificates: ['NODES_READ'],
  spentBudgets: ['NODES_READ'],
  troubledChains: ['SYSTEM_READ'],
  failedJobs: ['SYSTEM_READ'],
  mails: ['SYSTEM_READ'],
  machine: ['SYSTEM_READ'],
  restore: ['SYSTEM_READ', 'PAYMENTS_READ'],
  moneyCheck: ['SYSTEM_READ', 'TRANSACTIONS_READ'],
} as const satisfies Record<string, readonly Permission[]>;
export type AttentionPart = keyof typeof attentionParts;

/** At most ATTENTION_COUNTED_MAX, which means that many or more. */
const waitingSchema = z.int().nonnegative().max(ATTENTION_COUNTED_MAX);

const attentionSchema = z.object({
  /** Requests of others that the caller may decide. */
  approvals: z.object({
    waiting: waitingSchema,
    /** The list with the oldest one; null if none waits. */
    list: z.enum(Object.keys(requestLists) as [RequestList, ...RequestList[]]).nullable(),
  }),
  /** Tickets whose customers wait for a message of staff. */
  tickets: z
    .object({
      waiting: waitingSchema,
      /** The one that waits longest. */
      oldest: z.object({ id: idSchema, name: z.string(), waitingSince: dateSchema }).nullable(),
    })
    .nullable(),
  heldPayments: waitingSchema.nullable(),
  unhealthyProxies: countSchema.nullable(),
  /** Checks have seen their exits in another country, or at another operator, than what is sold. Absent: an API of 0.4.0. */
  proxiesElsewhere: countSchema.nullable().optional(),
  /** A sentence for each file of places that cannot be read. Absent: an API of 0.4.0. */
  unreadableFiles: z.array(z.string()).nullable().optional(),
  /** Gateways that do not report, without those that are drained. */
  silentNodes: countSchema.nullable(),
  /** The names of gateways of whose exits a tenth fail. Absent: an API of 0.4.0. */
  failingNodes: z.array(z.string()).nullable().optional(),
  /** The names of gateways whose certificate ends soon, or has ended. Absent: an API of 0.4.0. */
  endingCertificates: z.array(z.string()).nullable().optional(),
  /** Budgets of traffic of which nine tenths are used, so that nothing is sold. Absent: an API of 0.4.0. */
  spentBudgets: waitingSchema.nullable().optional(),
  /** Chains on which no invoices are created. */
  troubledChains: z.array(z.string()).nullable(),
  failedJobs: waitingSchema.nullable(),
  /** Since when the oldest one waits, if that is LATE_MAIL_SECONDS or more. */
  mails: z.object({ lateSince: dateSchema.nullable() }).nullable(),
  /** What is wrong with the machine of the API; both null: nothing. */
  machine: z
    .object({
      fullDisk: z.object({ usedPercent: z.number() }).nullable(),
      /** `newestAt` null: there is none. */
      lateBackup: z.object({ newestAt: dateSchema.nullable() }).nullable(),
    })
    .nullable(),
  /** After a restore of the database to an earlier time no invoices are created, until the operator has run a command. */
  restore: z
    .object({
      isOpen: z.boolean(),
      /** Since when it is at another server or at another point of its history without that, for a day. */
      movedAt: dateSchema.nullable(),
    })
    .nullable(),
  moneyCheck: z.object({ isBroken: z.boolean(), violationCount: countSchema }).nullable(),
});
export type Attention = z.infer<typeof attentionSchema>;

export const getAttention = endpoint({
  method: 'GET',
  url: '/v1/dashboard/admin/attention',
  access: 'staff',
  summary: 'What waits for somebody, of what the role may read; counts are the badges of the menu',
  response: data(attentionSchema),
});
