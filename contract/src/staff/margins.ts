/** What exits earned and cost in a month (UTC). */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { data, dollarsSchema, paged, pageQuery } from '../schemas.ts';
import { marginGroups, MARGIN_MONTHS_MAX } from './margins.values.ts';

export type MarginGroup = (typeof marginGroups)[number];

const monthSchema = z.string().regex(/^2\d{3}-(?:0[1-9]|1[0-2])$/, 'must be a month such as 2026-11');

const marginQuery = {
  month: monthSchema,
  by: z.enum(marginGroups).default('exit'),
};

const amountsSchema = z.object({
  /** In KiB, both directions together. */
  trafficUsed: z.number().nonnegative(),
  /** What of it flowed while neither the exit nor its node had a cost. */
  trafficWithoutCost: z.number().nonnegative(),
  /** Charges less refunds, also those of staff. */
  revenue: dollarsSchema,
  /** That of the exit and its node, as it was when the traffic flowed. Null: none was set. */
  cost: dollarsSchema.nullable(),
  /** Revenue less cost. At most that: there is traffic without a cost. */
  margin: dollarsSchema,
  /** Of the revenue, with one decimal. Null: there is no revenue. */
  marginPercent: z.number().nullable(),
});

const marginSchema = amountsSchema.extend({
  /** Of the exit or the node; the code of the country, or the name of the operator. */
  id: z.string(),
  /** The node of an exit, or the node itself; null for countries and operators. */
  node: z.string().nullable(),
  /** Without credentials; empty: the own route of the node. Null: not by exit. */
  exit: z.string().nullable(),
});
export type Margin = z.infer<typeof marginSchema>;

export const listMargins = endpoint({
  method: 'GET',
  url: '/v1/transactions/admin/margins',
  access: { permission: 'TRANSACTIONS_READ' },
  summary: 'Revenue, cost and margin of a month (UTC), those that earned most first',
  query: z.strictObject({ ...pageQuery, ...marginQuery }),
  response: paged(marginSchema).extend({ total: amountsSchema }),
});

export const listMarginMonths = endpoint({
  method: 'GET',
  url: '/v1/transactions/admin/margins/months',
  access: { permission: 'TRANSACTIONS_READ' },
  summary: `The months that have margins, the newest first; at most ${MARGIN_MONTHS_MAX}`,
  response: data(z.array(monthSchema)),
});

export const exportMargins = endpoint({
  method: 'GET',
  url: '/v1/transactions/admin/margins/export',
  access: { permission: 'TRANSACTIONS_READ' },
  summary: 'The margins of a month as CSV',
  query: z.strictObject(marginQuery),
  response: z.string(),
});
