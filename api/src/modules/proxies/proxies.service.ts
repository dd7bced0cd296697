/**
 * The catalogue. A proxy is free while it is healthy and has no open connection; only free proxies are shown. Costs of the search and its
 * reasons are in docs/catalogue.md.
 */
import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import type { Proxy, ProxyQuery, Stock as PublicStock } from '@cellhop/contract/proxies';
import { filterGroups, type FilterGroup } from '@cellhop/contract/places.values';
import { megabytePrice, toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { effectiveLimits } from './limits.service.ts';
import * as store from './search.store.ts';
import type { Stock } from './stock.ts';

export { createCountsReader, createFacetsReader, ensureCounts, refreshCounts, refreshFacets } from './counts.ts';
export { createStockReader, type Stock } from './stock.ts';

/** At most 50 free proxies, cheapest first. Values of one group are combined with OR, groups with AND. */
export async function search(ctx: Ctx, query: ProxyQuery): Promise<Proxy[]> {
  const rows = await searchFree(ctx, query);
  // A statement of its own, so that the plans of the search stay what they are.
  const checks = await store.findChecks(ctx, [...new Set(rows.map(({ exitId }) => exitId))]);
  const checkById = new Map(checks.map((check) => [check.exitId, check]));
  return rows.map((row) => {
    const { ip, priceMicros, exitId, portRule, tunnelsMax, bytesPerSecondMax, ...proxy } = row;
    const check = checkById.get(exitId);
    return {
      ...proxy,
      ip: ip ?? check?.seenAddress ?? '',
      price: toDollars(priceMicros),
      checkedAt: check?.succeededAt?.toISOString() ?? null,
      latencyMs: check?.latencyMs ?? null,
      limits: effectiveLimits(ctx.config, { portRule, tunnelsMax, bytesPerSecondMax }),
      rotates: check?.rotates ?? false,
    };
  });
}

/** For visitors. */
export async function getLowestPrice(ctx: Ctx): Promise<{ megabytePrice: number | null }> {
  const priceMicros = await store.findLowestPrice(ctx);
  return { megabytePrice: priceMicros === undefined ? null : toDollars(megabytePrice(priceMicros)) };
}

/**
 * What a megabyte costs at least by the price list: of proxies that are offered, whoever has them now.
 * @returns micro-dollars; undefined if none is offered
 */
export async function getListPrice(ctx: Ctx): Promise<bigint | undefined> {
  const priceMicros = await store.findListPrice(ctx);
  return priceMicros === undefined ? undefined : megabytePrice(priceMicros);
}

export function presentStock(stock: Stock): PublicStock {
  const { countedAt, countries } = stock;
  return {
    countedSecondsAgo: Math.max(0, Math.round((Date.now() - countedAt.getTime()) / 1000)),
    free: countFree(stock),
    operators: countOperators(stock),
    megabytePrice: presentPrice(lowestPrice(stock)),
    countries: countries.map(({ countryCode, free, cities, operators, priceMicros }) => ({
      countryCode,
      free,
      cities: cities.size,
      operators: operators.size,
      megabytePrice: presentPrice(priceMicros),
    })),
  };
}

export function countFree({ countries }: Stock): number {
  return countries.reduce((sum, { free }) => sum + free, 0);
}

/** Different names: an operator of two countries counts once. */
export function countOperators({ countries }: Stock): number {
  return new Set(countries.flatMap(({ operators }) => [...operators.keys()])).size;
}

/** @returns micro-dollars for one megabyte; undefined if no proxy is free */
function lowestPrice({ countries }: Stock): bigint | undefined {
  return countries.flatMap(({ priceMicros }) => priceMicros ?? []).toSorted((one, other) => Number(one - other))[0];
}

function presentPrice(priceMicros: bigint | undefined): number | null {
  return priceMicros === undefined ? null : toDollars(priceMicros);
}

const TIMEOUT_MS = 2000;
/** Rows that a walk scans, divided among the values of the group. */
const WALK_MAX = 1200;
/** A first, short walk is enough if most rows match the other groups too. */
const FIRST_WALK_MAX = 500;
const FIRST_DEPTH_MIN = 5;
/** Matches that are sorted by price if a walk does not find enough. */
const SAMPLE_MAX = 2000;

/** The first one that is filtered is walked: usually the group with the fewest proxies per value. */
const narrowestFirst: readonly FilterGroup[] = ['zip', 'city', 'region', 'isp', 'country', 'connectionType'];

/** Values of one group are combined with OR, groups with AND. */
function searchFree(ctx: Ctx, query: ProxyQuery): Promise<store.ProxyRow[]> {
  const filter = withoutDuplicates(query);
  return ctx.tx(async (ctx) => {
    await store.setTimeLimit(ctx, TIMEOUT_MS);
    const group = narrowestFirst.find((candidate) => filter[candidate]);
    if (!group) return store.findCheapest(ctx);
    const { first, full } = walkDepths(filter, group);
    let walk = await store.walkByPrice(ctx, group, filter, first);
    // A longer walk only makes sense if it can be expected to find enough.
    if (!isSufficient(walk) && walk.rows.length * full >= PROXY_SEARCH_MAX * first && first < full)
      walk = await store.walkByPrice(ctx, group, filter, full);
    if (isSufficient(walk)) return walk.rows;
    return store.readMatches(ctx, filter, SAMPLE_MAX);
  });
}

/**
 * How many rows of each value's list are scanned: first a few, which is enough for most filters, then as many as a walk may.
 * If only one group is filtered every row matches, so the list never needs to be longer than the result.
 */
function walkDepths(filter: ProxyQuery, group: FilterGroup): { first: number; full: number } {
  const valueCount = filter[group]!.length;
  const isAlone = filterGroups.every((other) => other === group || !filter[other]);
  const full = isAlone ? PROXY_SEARCH_MAX : Math.max(PROXY_SEARCH_MAX, Math.ceil(WALK_MAX / valueCount));
  return { first: Math.min(full, Math.max(FIRST_DEPTH_MIN, Math.ceil(FIRST_WALK_MAX / valueCount))), full };
}

function isSufficient({ rows, isComplete }: store.Walk): boolean {
  return isComplete || rows.length === PROXY_SEARCH_MAX;
}

/** A repeated value would be scanned twice and return its proxies twice. */
function withoutDuplicates(query: ProxyQuery): ProxyQuery {
  const filter: ProxyQuery = {};
  for (const group of filterGroups) if (query[group]?.length) filter[group] = [...new Set(query[group])];
  return filter;
}
