/** How much traffic an exit, or all exits of a node together, shall carry in a month (UTC), and what it costs. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { dollarsWithin } from '../fields.ts';
import { data, idParams, idSchema, listed, listQuery, reasonSchema } from '../schemas.ts';

/** From this share on, proxies of the exit or the node are not sold. */
export const BUDGET_PERCENT_MAX = 90;
/** A petabyte. */
export const BUDGET_GIGABYTES_MAX = 1_048_576;

/** US dollars for 1,024 MB. */
export const COST_PER_GIGABYTE_MAX = 1000;
const costSchema = dollarsWithin(0, COST_PER_GIGABYTE_MAX);
const gigabytesSchema = z.int().min(1).max(BUDGET_GIGABYTES_MAX);

const trafficBudgetSchema = z.object({
  id: idSchema,
  /** Null: of all exits of the node. */
  exitId: idSchema.nullable(),
  /** Without credentials; null: of the node. Empty: the own route of the node. */
  exit: z.string().nullable(),
  nodeId: idSchema,
  node: z.string(),
  /** Of 1,024 megabytes. */
  gigabytes: z.int(),
  /** In KiB, since the month began. */
  trafficUsed: z.number().nonnegative(),
  /** Nothing is sold until the month ends, or until the budget grows. */
  isSpent: z.boolean(),
});
export type TrafficBudget = z.infer<typeof trafficBudgetSchema>;

export const listTrafficBudgets = endpoint({
  method: 'GET',
  url: '/v1/nodes/admin/traffic-budgets',
  access: { permission: 'NODES_READ' },
  summary: 'Budgets of traffic with their use in this month (UTC), those that are used most first',
  query: z.strictObject(listQuery),
  response: listed(trafficBudgetSchema),
});

/** Null: none. */
const termsSchema = z.object({
  gigabytes: gigabytesSchema.nullable(),
  /** What 1,024 MB through it cost the operator, from now on. */
  costPerGigabyte: costSchema.nullable(),
});
export type TrafficTerms = z.infer<typeof termsSchema>;

/** What is absent stays as it is. */
const changeSchema = z.strictObject({ ...termsSchema.partial().shape, reason: reasonSchema.optional() });
export type TrafficChange = z.infer<typeof changeSchema>;

export const getNodeTraffic = endpoint({
  method: 'GET',
  url: '/v1/nodes/admin/{id}/traffic',
  access: { permission: 'NODES_READ' },
  summary: 'How much traffic all exits of a node together shall carry in a month, and what it costs',
  params: idParams,
  response: data(termsSchema),
  errors: ['NOT_FOUND'],
});

export const getExitTraffic = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin/exits/{id}/traffic',
  access: { permission: 'PROXIES_READ' },
  summary: 'How much traffic an exit shall carry in a month, and what it costs',
  params: idParams,
  response: data(termsSchema),
  errors: ['NOT_FOUND'],
});

export const changeNodeTraffic = endpoint({
  method: 'PATCH',
  url: '/v1/nodes/admin/{id}/traffic',
  access: { permission: 'NODES_EDIT' },
  summary: 'Set how much traffic all exits of a node together shall carry in a month, and what it costs',
  params: idParams,
  body: changeSchema,
  response: data(termsSchema),
  errors: ['NOT_FOUND'],
});

export const changeExitTraffic = endpoint({
  method: 'PATCH',
  url: '/v1/proxies/admin/exits/{id}/traffic',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Set how much traffic an exit shall carry in a month, and what it costs',
  params: idParams,
  body: changeSchema,
  response: data(termsSchema),
  errors: ['NOT_FOUND'],
});
