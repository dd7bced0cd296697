/**
 * What a proxy promises about its place and its operator. Schemas, imports, exports, filters and the facts on screens follow from this list,
 * and so do the columns in SQL (`api/src/db/place-columns.ts`).
 */
interface ColumnOfPlace {
  /** The name of the column in tables and views. */
  sql: string;
  /** In SQL. */
  type: 'text' | 'bigint';
  /** How an import checks its text. */
  check: 'country' | 'text' | 'asn';
  /** Otherwise a file may lack the column, and a proxy then keeps what it has; an empty cell is null. */
  isRequired: boolean;
}

/** In the order of files and screens. */
export const placeColumns = {
  /** ISO 3166-1 alpha-2, upper case. */
  countryCode: { sql: 'country_code', type: 'text', check: 'country', isRequired: true },
  region: { sql: 'region', type: 'text', check: 'text', isRequired: true },
  city: { sql: 'city', type: 'text', check: 'text', isRequired: true },
  zip: { sql: 'zip', type: 'text', check: 'text', isRequired: true },
  isp: { sql: 'isp', type: 'text', check: 'text', isRequired: true },
  /** The number of the operator's autonomous system. */
  asn: { sql: 'asn', type: 'bigint', check: 'asn', isRequired: false },
  connectionType: { sql: 'connection_type', type: 'text', check: 'text', isRequired: true },
} as const satisfies Record<string, ColumnOfPlace>;

export type PlaceColumn = keyof typeof placeColumns;
type Rule<Name extends PlaceColumn> = (typeof placeColumns)[Name];
export type Place = {
  [Name in PlaceColumn]:
    | { text: string; bigint: number }[Rule<Name>['type']]
    | (Rule<Name>['isRequired'] extends true ? never : null);
};
export const placeNames = Object.keys(placeColumns) as PlaceColumn[];

/** Of 32 bits (RFC 6793). */
const ASN_MAX = 4_294_967_295;

/** @param text such as AS1234 or 1234. @returns undefined if it is neither */
export function parseAsn(text: string): number | undefined {
  const asn = Number(/^(?:AS)?([1-9]\d{0,9})$/i.exec(text)?.[1]);
  return asn <= ASN_MAX ? asn : undefined;
}

export function asnText(asn: number): string {
  return `AS${asn}`;
}

/** Empty if nothing is known. */
export function operatorText({ isp, asn }: { isp: string | null; asn?: number | null }): string {
  return [isp, asn == null ? null : asnText(asn)].filter((part) => part !== null).join(' · ');
}

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
  return ofPlace((name) => row[name]) as Place;
}
