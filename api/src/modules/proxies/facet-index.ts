/**
 * Counts free proxies under a filter, in memory: one pass over the distinct combinations of places, operators and connection types,
 * some milliseconds for a catalogue of a million proxies.
 */
import { FACET_VALUES_MAX } from '@cellhop/contract/limits';
import { type FilterGroup, filterGroups, ofGroups } from '@cellhop/contract/places.values';
import type { ProxyFacets, ProxyQuery } from '@cellhop/contract/proxies';

/** The format that counts.store.ts writes. Parsing with a schema would triple the time that the event loop is blocked. */
type Place = readonly [region: string, city: string, zip: string, offers: readonly Offer[]];
type Offer = readonly [...values: string[], count: number];

/** The groups of an area inside a country, and those of what it offers: all others. */
export const areaGroups = ['region', 'city', 'zip'] as const satisfies FilterGroup[];
export const offerGroups = filterGroups.filter((group) => ![...areaGroups, 'country'].includes(group));
/** In the order of the columns of `Combinations`. */
const columns = [...areaGroups, ...offerGroups];
/** The codes of `columns`, and the number of free proxies. */
const STRIDE = columns.length + 1;
/** Row after row. */
type Combinations = Uint32Array;

interface Dictionary {
  codes: Map<string, number>;
  values: string[];
}

export interface FacetIndex {
  /** @param body of a row in `proxy_facets` */
  replaceCountry(countryCode: string, body: string): void;
  /** The counts of a group ignore the filter of that group, because its values are alternatives. */
  count(filter: ProxyQuery): ProxyFacets;
  /** Countries with free proxies. */
  listCountries(): CountryFacets[];
}

export interface CountryFacets {
  countryCode: string;
  free: number;
  /** The number of free proxies of each. */
  cities: ReadonlyMap<string, number>;
  operators: ReadonlyMap<string, number>;
  connectionTypes: ReadonlyMap<string, number>;
}

export function createFacetIndex(): FacetIndex {
  const countries = new Map<string, Combinations>();
  const dictionaries = columns.map((): Dictionary => ({ codes: new Map(), values: [] }));
  return {
    replaceCountry(countryCode, body) {
      const combinations = encode(JSON.parse(body) as Place[], dictionaries);
      if (combinations.length === 0) countries.delete(countryCode);
      else countries.set(countryCode, combinations);
    },
    count: (filter) => countCombinations(countries, dictionaries, filter),
    listCountries: () => [...countries].map(([code, combinations]) => summarise(code, combinations, dictionaries)),
  };
}

function encode(places: readonly Place[], dictionaries: readonly Dictionary[]): Combinations {
  const rows: number[] = [];
  const codeFor = (column: number, value: string) => {
    const { codes, values } = dictionaries[column]!;
    const known = codes.get(value);
    if (known !== undefined) return known;
    codes.set(value, values.length);
    return values.push(value) - 1;
  };
  for (const [region, city, zip, offers] of places) {
    const area = [codeFor(0, region), codeFor(1, city), codeFor(2, zip)];
    for (const offer of offers) {
      rows.push(...area);
      for (let index = 0; index < offerGroups.length; index++)
        rows.push(codeFor(area.length + index, offer[index] as string));
      rows.push(offer[offerGroups.length] as number);
    }
  }
  return Uint32Array.from(rows);
}

/** Codes that the filter allows; undefined: the group is not filtered. */
type Allowed = Uint8Array | undefined;

function countCombinations(
  countries: ReadonlyMap<string, Combinations>,
  dictionaries: readonly Dictionary[],
  filter: ProxyQuery,
): ProxyFacets {
  const allowed = columns.map((group, column) => allowedCodes(dictionaries[column]!, filter[group]));
  const sums = dictionaries.map(({ values }) => new Uint32Array(values.length));
  const countryCodes = [...countries.keys()];
  const countryCounts = Uint32Array.from(countryCodes, (countryCode) => {
    const isAllowed = filter.country === undefined || filter.country.includes(countryCode);
    return addCountry(countries.get(countryCode)!, allowed, isAllowed ? sums : undefined);
  });
  const facets: ProxyFacets = {
    counts: ofGroups(() => ({})),
    truncated: [],
  };
  const add = (group: FilterGroup, values: readonly string[], counts: Uint32Array) => {
    const { listed, isTruncated } = listLargest(values, counts);
    facets.counts[group] = listed;
    if (isTruncated) facets.truncated.push(group);
  };
  add('country', countryCodes, countryCounts);
  for (const [column, group] of columns.entries()) add(group, dictionaries[column]!.values, sums[column]!);
  return facets;
}

function allowedCodes({ codes, values }: Dictionary, chosen: readonly string[] | undefined): Allowed {
  if (chosen === undefined) return undefined;
  const allowed = new Uint8Array(values.length);
  for (const value of chosen) {
    const code = codes.get(value);
    if (code !== undefined) allowed[code] = 1;
  }
  return allowed;
}

/**
 * A combination that matches counts for all groups; one that fails in a single group counts only for that group.
 * @param sums undefined if the filter excludes the country
 * @returns the number of free proxies of the country that match all groups but the country
 */
function addCountry(
  combinations: Combinations,
  allowed: readonly Allowed[],
  sums: readonly Uint32Array[] | undefined,
): number {
  const filtered = allowed.flatMap((codes, column) => (codes === undefined ? [] : [{ codes, column }]));
  let matching = 0;
  for (let row = 0; row < combinations.length; row += STRIDE) {
    const count = combinations[row + STRIDE - 1]!;
    let failures = 0;
    let failed = 0;
    for (const { codes, column } of filtered) {
      if (codes[combinations[row + column]!] === 1) continue;
      failures++;
      failed = column;
    }
    if (failures === 0) matching += count;
    if (sums === undefined || failures > 1) continue;
    if (failures === 1) sums[failed]![combinations[row + failed]!]! += count;
    else for (let column = 0; column < columns.length; column++) sums[column]![combinations[row + column]!]! += count;
  }
  return matching;
}

/** The values that occur, at most FACET_VALUES_MAX: those with the most proxies. */
function listLargest(values: readonly string[], counts: Uint32Array) {
  const occurring = counts.filter((count) => count > 0).sort();
  const least = occurring.at(-FACET_VALUES_MAX) ?? 1;
  let room = Math.min(occurring.length, FACET_VALUES_MAX) - occurring.filter((count) => count > least).length;
  const listed: Record<string, number> = {};
  for (const [code, count] of counts.entries()) {
    if (count < least || (count === least && room-- <= 0)) continue;
    listed[values[code]!] = count;
  }
  return { listed, isTruncated: occurring.length > FACET_VALUES_MAX };
}

/** One pass over numbers; their texts are looked up at the end. */
function summarise(
  countryCode: string,
  combinations: Combinations,
  dictionaries: readonly Dictionary[],
): CountryFacets {
  let free = 0;
  const sums = (['city', 'isp', 'connectionType'] as const).map((group) => ({
    column: columns.indexOf(group),
    counts: new Map<number, number>(),
  }));
  for (let row = 0; row < combinations.length; row += STRIDE) {
    const count = combinations[row + STRIDE - 1]!;
    free += count;
    for (const { column, counts } of sums) {
      const code = combinations[row + column]!;
      counts.set(code, (counts.get(code) ?? 0) + count);
    }
  }
  const [cities, operators, connectionTypes] = sums.map(
    ({ column, counts }) =>
      new Map([...counts].map(([code, count]) => [dictionaries[column]!.values[code]!, count] as const)),
  );
  return { countryCode, free, cities: cities!, operators: operators!, connectionTypes: connectionTypes! };
}
