/** The columns of a place (`contract/src/places.values.ts`) in SQL. */
import { filterColumns, ofGroups, placeColumns, placeNames } from '@cellhop/contract/places.values';

export const placeSql = placeNames.map((name) => ({ name, ...placeColumns[name] }));

/** @param table with its dot */
export function selectPlace(table = ''): string {
  // A bigint as a double, because JSON has no larger integers.
  return placeSql
    .map(({ name, sql, type }) => `${table}${sql}${type === 'bigint' ? '::float8' : ''} as "${name}"`)
    .join(', ');
}

export const filterSql = ofGroups((group) => placeColumns[filterColumns[group]].sql);
