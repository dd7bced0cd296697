/**
 * What a proxy promises about its place and its operator. Schemas, imports, exports, filters and the facts on screens follow from this list,
 * and so do the columns in SQL (`api/src/db/place-columns.ts`).
 */
interface ColumnOfPlace {
  /** The name of the column in tables and views. */
  sql: string;
  /** How an import checks its text. */
  kind: 'country' | 'text';
}

/** In the order of files and screens. */
export const placeColumns = {
  /** ISO 3166-1 alpha-2, upper case. */
  countryCode: { sql: 'country_code', kind: 'country' },
  region: { sql: 'region', kind: 'text' },
  city: { sql: 'city', kind: 'text' },
  zip: { sql: 'zip', kind: 'text' },
  isp: { sql: 'isp', kind: 'text' },
  connectionType: { sql: 'connection_type', kind: 'text' },
} as const satisfies Record<string, ColumnOfPlace>;

export type PlaceColumn = keyof typeof placeColumns;
export type Place = Record<PlaceColumn, string>;
export const placeNames = Object.keys(placeColumns) as PlaceColumn[];

/** The groups of the catalogue's filter, in the order of the form: each has its counts, and an index. */
export const filterColumns = {
  country: 'countryCode',
  city: 'city',
  region: 'region',
  zip: 'zip',
  isp: 'isp',
  connectionType: 'connectionType',
} as const satisfies Record<string, PlaceColumn>;

export type FilterGroup = keyof typeof filterColumns;
export const filterGroups = Object.keys(filterColumns) as FilterGroup[];

export function ofPlace<Value>(make: (name: PlaceColumn) => Value): Record<PlaceColumn, Value> {
  return Object.fromEntries(placeNames.map((name) => [name, make(name)])) as Record<PlaceColumn, Value>;
}

export function ofGroups<Value>(make: (group: FilterGroup) => Value): Record<FilterGroup, Value> {
  return Object.fromEntries(filterGroups.map((group) => [group, make(group)])) as Record<FilterGroup, Value>;
}

/** The columns of the place alone. */
export function placeOf(row: Place): Place {
  return ofPlace((name) => row[name]);
}
