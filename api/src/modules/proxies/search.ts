/** The catalogue's search: at most 50 free proxies, cheapest first. docs/catalogue.md tells what it costs and why. */
import { PROXY_SEARCH_MAX } from '@cellhop/contract/limits';
import { filterGroups, type FilterGroup, type ProxyQuery } from '@cellhop/contract/proxies';
import type { Ctx } from '../../ctx.ts';
import type { ProxyRow } from './proxies.store.ts';
import * as store from './search.store.ts';

const TIMEOUT_MS = 2000;
/** Proxies that a walk looks at, shared by the values of the group it walks. */
const WALK_MAX = 2000;
/** Matches that are sorted by price when a walk was not enough. */
const SAMPLE_MAX = 2000;
/** An index of tags merges the lists of a group entry by entry: more values than this are dearer than reading proxies. */
const TAG_VALUES_MAX = 12;

/** The group that is walked: as a rule the kind that has the fewest proxies for each value. */
const narrowestFirst: readonly FilterGroup[] = ['zip', 'city', 'region', 'isp', 'country', 'connectionType'];

/** Values of one group are alternatives, groups narrow the result. */
export function searchFree(ctx: Ctx, query: ProxyQuery): Promise<ProxyRow[]> {
  const filter = withoutRepeats(query);
  return ctx.tx(async (ctx) => {
    await store.setTimeLimit(ctx, TIMEOUT_MS);
    const group = narrowestFirst.find((candidate) => filter[candidate]);
    if (!group) return store.findCheapest(ctx);
    const { rows, isComplete } = await store.walkByPrice(ctx, group, filter, walkDepth(filter, group));
    if (isComplete || rows.length === PROXY_SEARCH_MAX) return rows;
    return countValues(filter) <= TAG_VALUES_MAX
      ? store.intersectTags(ctx, filter, SAMPLE_MAX)
      : store.readNarrowest(ctx, filter, SAMPLE_MAX);
  });
}

/** For each value: a full answer is enough for a filter of one group; others have to look past what does not match. */
function walkDepth(filter: ProxyQuery, group: FilterGroup): number {
  const valueCount = filter[group]!.length;
  const isAlone = countValues(filter) === valueCount;
  return isAlone ? PROXY_SEARCH_MAX : Math.max(PROXY_SEARCH_MAX, Math.ceil(WALK_MAX / valueCount));
}

function countValues(query: ProxyQuery): number {
  return filterGroups.reduce((sum, group) => sum + (query[group]?.length ?? 0), 0);
}

/** A value that is given twice would be walked twice and show its proxies twice. */
function withoutRepeats(query: ProxyQuery): ProxyQuery {
  const filter: ProxyQuery = {};
  for (const group of filterGroups) if (query[group]?.length) filter[group] = [...new Set(query[group])];
  return filter;
}
