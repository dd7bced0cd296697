import { z } from 'zod';
import { connectionLimitsSchema } from '../connection-limits.ts';
import { endpoint } from '../endpoint.ts';
import {
  BULK_PROXIES_MAX,
  CHOSEN_PROXIES_MAX,
  FILTER_VALUE_LENGTH_MAX,
  FILTER_VALUES_MAX,
  NODE_NAME_LENGTH_MAX,
  PERCENT_MAX,
  PERCENT_MIN,
} from '../limits.ts';
import { parseAddressPrefix } from '../network.ts';
import { locationSchema } from '../proxies.ts';
import {
  data,
  dateSchema,
  dollarsSchema,
  idParams,
  idSchema,
  listQuery,
  listed,
  plainText,
  proxyPriceSchema,
  reasonSchema,
  repeated,
} from '../schemas.ts';
import { exitCheckSchema, inventoryExitSchema } from './exit-checks.ts';
import { rotationLimitsSchema } from './exit-rotation.ts';
import { importDefaults, previewRowSchema } from './import-lines.ts';
import {
  inventoryChangeKinds,
  inventoryChangeStatuses,
  fileFormats,
  importProblems,
  inventorySorts,
  proxyStates,
} from './inventory.values.ts';

/** A proxy with fields that customers do not see: its exit, its state, and its current user. */
export const inventoryProxySchema = locationSchema.extend({
  id: idSchema,
  price: dollarsSchema,
  exit: inventoryExitSchema,
  check: exitCheckSchema,
  /** The proxy's own limits; null: the setting applies. */
  limits: connectionLimitsSchema,
  /** How often its address may change on demand; null: it has no link for that, or shares its exit. */
  rotation: rotationLimitsSchema.nullable(),
  state: z.enum(proxyStates),
  isHealthy: z.boolean(),
  /** A retired proxy may still be sold until its connection ends. */
  isRetired: z.boolean(),
  connection: z
    .object({ id: idSchema, createdAt: dateSchema, user: z.object({ id: idSchema, email: z.string() }) })
    .nullable(),
});
export type InventoryProxy = z.infer<typeof inventoryProxySchema>;

/** Such as `192.0.2.7`, `192.0.2`, `192.0.2.0/24` or `2001:db8::/32`. */
const addressPrefixSchema = z
  .string()
  .max(50)
  .refine((text) => parseAddressPrefix(text) !== undefined, 'must be an IP address, the start of one, or a network');
const valueSchema = z.string().min(1).max(FILTER_VALUE_LENGTH_MAX);
const filterOfOne = {
  ip: addressPrefixSchema.optional(),
  node: z.string().min(1).max(NODE_NAME_LENGTH_MAX).optional(),
  state: z.enum(proxyStates).optional(),
};
/** The filter in a URL. Values of one group are combined with OR, groups with AND. */
const filterQuery = {
  ...filterOfOne,
  country: repeated(valueSchema, FILTER_VALUES_MAX),
  isp: repeated(valueSchema, FILTER_VALUES_MAX),
  /** Exactly these proxies, unless the other filters exclude them. */
  id: repeated(idSchema, CHOSEN_PROXIES_MAX),
};
export const inventoryFilterSchema = z.strictObject({
  ...filterOfOne,
  country: z.array(valueSchema).max(FILTER_VALUES_MAX).optional(),
  isp: z.array(valueSchema).max(FILTER_VALUES_MAX).optional(),
  id: z.array(idSchema).min(1).max(CHOSEN_PROXIES_MAX).optional(),
});
export type InventoryFilter = z.infer<typeof inventoryFilterSchema>;

export const listInventory = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin',
  access: { permission: 'PROXIES_READ' },
  summary: 'All proxies: free, sold, unhealthy and retired',
  query: z.strictObject({ ...listQuery, ...filterQuery, sort: z.enum(inventorySorts).default('ip') }),
  response: listed(inventoryProxySchema),
});

export const exportInventory = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin/export',
  access: { permission: 'PROXIES_READ' },
  summary: 'Proxies as a file with the columns of an import, by IP address',
  query: z.strictObject({ ...filterQuery, format: z.enum(fileFormats).default('csv') }),
  response: z.string(),
});

/** Identifies the proxies that a member of staff saw. It changes if a proxy is added or removed, changes its price or is retired. */
const fingerprintSchema = z.string().max(60);
const selectionSchema = z.object({
  count: z.int().min(0).max(BULK_PROXIES_MAX),
  fingerprint: fingerprintSchema,
  /** Null if there are none. */
  lowestPrice: dollarsSchema.nullable(),
  highestPrice: dollarsSchema.nullable(),
});
export type Selection = z.infer<typeof selectionSchema>;

export const readSelection = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin/selection',
  access: { permission: 'PROXIES_EDIT' },
  summary: `The number of proxies that a bulk change would touch; at most ${BULK_PROXIES_MAX}`,
  query: z.strictObject(filterQuery),
  response: data(selectionSchema),
});

/** Exactly the proxies of a selection. */
const bulkShape = {
  filter: inventoryFilterSchema,
  count: z.int().min(1).max(BULK_PROXIES_MAX),
  fingerprint: fingerprintSchema,
  reason: reasonSchema.optional(),
};

/** A bulk change or an import, which a job applies: all of it at once, or nothing. */
export const inventoryChangeSchema = z.object({
  id: idSchema,
  kind: z.enum(inventoryChangeKinds),
  status: z.enum(inventoryChangeStatuses),
  /** Proxies to change. */
  rowCount: z.int().nonnegative(),
  /** Proxies that are changed already; customers see no change before all are. */
  doneCount: z.int().nonnegative(),
  /** The number of added proxies; null unless it is an import. */
  newCount: z.int().nonnegative().nullable(),
  /** Why the last attempt failed; null if none did, or if its worker ended without a reason. */
  failure: z.string().nullable(),
  createdAt: dateSchema,
});
export type InventoryChange = z.infer<typeof inventoryChangeSchema>;
const changeResponse = data(inventoryChangeSchema);

export const priceChangeSchema = z.union([
  z.strictObject({ price: proxyPriceSchema }),
  z.strictObject({ percent: z.number().min(PERCENT_MIN).max(PERCENT_MAX) }),
]);
export type PriceChange = z.infer<typeof priceChangeSchema>;

export const changePrices = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/prices',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Set or raise the price of the proxies of a selection; open connections keep theirs',
  body: z.strictObject({ ...bulkShape, change: priceChangeSchema }),
  response: changeResponse,
  status: 202,
  errors: ['CHANGED_ELSEWHERE'],
});

export const changeProxyLimits = endpoint({
  method: 'PUT',
  url: '/v1/proxies/admin/{id}/limits',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Limit the ports, the tunnels and the speed of one proxy; its open connection follows within seconds',
  params: idParams,
  body: z.strictObject({ ...connectionLimitsSchema.shape, reason: reasonSchema.optional() }),
  response: data(z.object({ id: idSchema })),
  errors: ['NOT_FOUND'],
});

export const retireProxies = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/retire',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Take the proxies of a selection out of the catalogue; open connections go on',
  body: z.strictObject(bulkShape),
  response: changeResponse,
  status: 202,
  errors: ['CHANGED_ELSEWHERE'],
});

export const restoreProxies = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/restore',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Return the retired proxies of a selection to the catalogue',
  body: z.strictObject(bulkShape),
  response: changeResponse,
  status: 202,
  errors: ['CHANGED_ELSEWHERE'],
});

const changeCountsSchema = z.object({
  newCount: z.int(),
  changedCount: z.int(),
  unchangedCount: z.int(),
  /** Lines that become proxies when the first check of their exits has seen their address. */
  waitingCount: z.int(),
});
export type ChangeCounts = z.infer<typeof changeCountsSchema>;

export const importErrorSchema = z.object({
  /** The line number, from 1. */
  line: z.int(),
  column: z.string().nullable(),
  problem: z.enum(importProblems),
  /** A number that the problem has: of fields, of a limit, of another line, or of a column. Never a text of the file: it may be a password. */
  value: z.string().nullable(),
});
export type ImportError = z.infer<typeof importErrorSchema>;

/** The body is the file itself, not JSON of this API. */
export const checkImport = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/imports',
  access: { permission: 'PROXIES_EDIT' },
  summary:
    "Check a file of proxies (CSV, JSON, a provider's list) and keep it for a day; the catalogue does not change yet",
  query: z.strictObject({ format: z.enum(fileFormats), fileName: plainText(1, 200), ...importDefaults }),
  response: data(
    changeCountsSchema.extend({
      /** Null if the file has errors. */
      id: idSchema.nullable(),
      /** The first lines without errors. */
      preview: z.array(previewRowSchema),
      /** The first ones. */
      errors: z.array(importErrorSchema),
      /** The check ends at IMPORT_ERRORS_COUNTED_MAX. */
      errorCount: z.int(),
    }),
  ),
});
export type CheckedImport = z.infer<(typeof checkImport)['response']>['data'];

export const applyImport = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/imports/{id}/apply',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Put a checked file into the catalogue, all of it or nothing; a repeated request changes nothing',
  params: idParams,
  response: changeResponse,
  status: 202,
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});

export const listInventoryChanges = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin/changes',
  access: { permission: 'PROXIES_READ' },
  summary: 'The newest bulk changes and imports, with their progress',
  response: data(z.array(inventoryChangeSchema)),
});

export const readInventoryChange = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin/changes/{id}',
  access: { permission: 'PROXIES_READ' },
  summary: 'The progress of a bulk change or an import',
  params: idParams,
  response: changeResponse,
  errors: ['NOT_FOUND'],
});

export const retryInventoryChange = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/changes/{id}/retry',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Order a failed change again; it is refused if the proxies have changed since',
  params: idParams,
  response: changeResponse,
  status: 202,
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});

export const dismissInventoryChange = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/changes/{id}/dismiss',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Give a failed change up: nothing of it was applied',
  params: idParams,
  response: changeResponse,
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});
