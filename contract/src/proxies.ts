import { z } from 'zod';
import { connectionLimitsSchema } from './connection-limits.ts';
import { endpoint } from './endpoint.ts';
import { FACET_VALUES_MAX, FILTER_VALUE_LENGTH_MAX, FILTER_VALUES_MAX, PROXY_SEARCH_MAX } from './limits.ts';
import { filterGroups, ofGroups, ofPlace, type Place, type PlaceColumn, placeColumns } from './places.values.ts';
import { data, dateSchema, dollarsSchema, idSchema, repeated } from './schemas.ts';

export const placeShape = ofPlace((name) => {
  const { type, isRequired } = placeColumns[name];
  const schema = type === 'text' ? z.string() : z.int();
  return isRequired ? schema : schema.nullable();
}) as { [Name in PlaceColumn]: z.ZodType<Place[Name]> };

/** The location of a proxy; catalogue and connections have the same fields. */
export const locationSchema = z.object({ ip: z.string(), ...placeShape });

/** `price`: US dollars for 100 MB. */
export const proxySchema = locationSchema.extend({
  id: idSchema,
  price: dollarsSchema,
  /** The last successful check of its exit; null for an exit that was sold before there were checks. */
  checkedAt: dateSchema.nullable(),
  /** What a request through the exit waited for the first byte of its response, with the time to connect. */
  latencyMs: z.int().nullable(),
  /** What its connections are limited to; null: no limit. */
  limits: connectionLimitsSchema,
  /** Customers change its address when they like. Absent: an API of 0.4.0. */
  rotates: z.boolean().optional(),
});
export type Proxy = z.infer<typeof proxySchema>;

const countsSchema = z.record(z.string(), z.int().positive());
/** For each group: value -> number of free proxies. Countries are codes. */
export const proxyFilterSchema = z.object(ofGroups(() => countsSchema));
export type ProxyFilter = z.infer<typeof proxyFilterSchema>;

const values = repeated(z.string().min(1).max(FILTER_VALUE_LENGTH_MAX), FILTER_VALUES_MAX);
export const proxyQuery = z.strictObject(ofGroups(() => values));
export type ProxyQuery = z.infer<typeof proxyQuery>;

export const proxyFacetsSchema = z.object({
  counts: proxyFilterSchema,
  /** Groups with more values than are listed. */
  truncated: z.array(z.enum(filterGroups)),
});
export type ProxyFacets = z.infer<typeof proxyFacetsSchema>;

export const getProxyFilter = endpoint({
  method: 'GET',
  url: '/v1/proxies/filter',
  access: 'user',
  summary: 'Filter values with the number of free proxies',
  response: data(proxyFilterSchema),
});

export const getProxyFacets = endpoint({
  method: 'GET',
  url: '/v1/proxies/facets',
  access: 'user',
  summary: `Values of each group with the number of free proxies that match the other groups of the filter; at most ${FACET_VALUES_MAX} per group`,
  query: proxyQuery,
  response: data(proxyFacetsSchema),
});

export const getLowestPrice = endpoint({
  method: 'GET',
  url: '/v1/proxies/lowest-price',
  access: 'public',
  summary: 'The lowest price of one megabyte, in US dollars; null if no proxy is free',
  response: data(z.object({ megabytePrice: dollarsSchema.nullable() })),
});

/** What visitors see of the catalogue. Prices are US dollars for one megabyte. */
export const stockSchema = z.object({
  /** How long ago the free proxies were counted. */
  countedSecondsAgo: z.int().nonnegative(),
  free: z.int().nonnegative(),
  /** Different names of operators. */
  operators: z.int().nonnegative(),
  /** The lowest one; null if no proxy is free. */
  megabytePrice: dollarsSchema.nullable(),
  /** Those with free proxies, the most first. */
  countries: z.array(
    z.object({
      countryCode: z.string(),
      free: z.int().positive(),
      cities: z.int().positive(),
      operators: z.int().positive(),
      /** The lowest one; null if the last proxy was sold since the count. */
      megabytePrice: dollarsSchema.nullable(),
    }),
  ),
});
export type Stock = z.infer<typeof stockSchema>;

export const getStock = endpoint({
  method: 'GET',
  url: '/v1/proxies/stock',
  access: 'public',
  summary: 'How many proxies are free in each country, and from which price',
  response: data(stockSchema),
});

export const searchProxies = endpoint({
  method: 'GET',
  url: '/v1/proxies',
  access: 'user',
  summary: `Free proxies; values of one group are alternatives, groups narrow; at most ${PROXY_SEARCH_MAX}`,
  query: proxyQuery,
  response: data(z.array(proxySchema).max(PROXY_SEARCH_MAX)),
});
