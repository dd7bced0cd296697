/** The catalogue's search: at most 50 free proxies, cheapest first. docs/catalogue.md tells what it costs and why. */
import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import { filterGroups, type FilterGroup, type ProxyQuery } from '@cellhop/contract/proxies';
import type { Ctx } from '../../ctx.ts';
import type { ProxyRow } from './proxies.store.ts';
import * as store from './search.store.ts';

const TIMEOUT_MS = 2000;
/** Proxies that a walk looks at, shared by the values of the group it walks. */
const WALK_MAX = 1200;
/** A first, short walk is enough where the groups have much in common. */
const FIRST_WALK_MAX = 500;
const FIRST_DEPTH_MIN = 5;
/** Matches that are sorted by price when a walk was not enough. */
const SAMPLE_MAX = 2000;

/** The group that is walked: as a rule the kind that has the fewest proxies for each value. */
const narrowestFirst: readonly FilterGroup[] = ['zip', 'city', 'region', 'isp', 'country', 'connectionType'];

/** Values of one group are alternatives, groups narrow the result. */
export function searchFree(ctx: Ctx, query: ProxyQuery): Promise<ProxyRow[]> {
  const filter = withoutRepeats(query);
  return ctx.tx(async (ctx) => {
    await store.setTimeLimit(ctx, TIMEOUT_MS);
    const group = narrowestFirst.find((candidate) => filter[candidate]);
    if (!group) return store.findCheapest(ctx);
    const { first, full } = walkDepths(filter, group);
    let walk = await store.walkByPrice(ctx, group, filter, first);
    // A longer walk is only made if it may be expected to find enough.
    if (!isAnswer(walk) && walk.rows.length * full >= PROXY_SEARCH_MAX * first && first < full)
      walk = await store.walkByPrice(ctx, group, filter, full);
    if (isAnswer(walk)) return walk.rows;
    return store.readMatches(ctx, filter, SAMPLE_MAX);
  });
}

/**
 * How far the list of each value is walked: a little, which is enough for most filters, and then as far as a walk goes.
 * In a filter of one group every proxy matches, so a full answer from each list is enough; others have to look past
 * what does not match.
 */
function walkDepths(filter: ProxyQuery, group: FilterGroup): { first: number; full: number } {
  const valueCount = filter[group]!.length;
  const isAlone = filterGroups.every((other) => other === group || !filter[other]);
  const full = isAlone ? PROXY_SEARCH_MAX : Math.max(PROXY_SEARCH_MAX, Math.ceil(WALK_MAX / valueCount));
  return { first: Math.min(full, Math.max(FIRST_DEPTH_MIN, Math.ceil(FIRST_WALK_MAX / valueCount))), full };
}

function isAnswer({ rows, isComplete }: store.Walk): boolean {
  return isComplete || rows.length === PROXY_SEARCH_MAX;
}

/** A value that is given twice would be walked twice and show its proxies twice. */
function withoutRepeats(query: ProxyQuery): ProxyQuery {
  const filter: ProxyQuery = {};
  for (const group of filterGroups) if (query[group]?.length) filter[group] = [...new Set(query[group])];
  return filter;
}
