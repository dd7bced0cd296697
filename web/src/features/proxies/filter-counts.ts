import type { FilterGroup } from '@cellhop/contract/places.values';
import type { ProxyFacets, ProxyFilter } from '@cellhop/contract/proxies';

/** Value -> number of free proxies; undefined if it is not known. */
export type FilterCounts = Record<string, number | undefined>;

/**
 * The values that a group offers, counted under the choice in the other groups. Chosen values stay, with 0 if no proxy matches.
 * @param facets undefined if nothing is chosen, or until they are loaded
 */
export function offeredCounts(
  group: FilterGroup,
  filter: ProxyFilter,
  facets: ProxyFacets | undefined,
  chosen: readonly string[],
): FilterCounts {
  if (facets === undefined) return filter[group];
  const counted = facets.counts[group];
  const offered: FilterCounts = { ...counted };
  // The rarest values are not counted, but they can be found by typing.
  if (facets.truncated.includes(group)) for (const value of Object.keys(filter[group])) offered[value] = counted[value];
  else for (const value of chosen) offered[value] ??= 0;
  return offered;
}
