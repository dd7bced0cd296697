/** The columns of a place (`contract/src/places.values.ts`) in SQL. */
import { filterColumns, ofGroups, placeColumns, placeNames } from '@cellhop/contract/places.values';

export const placeSql = placeNames.map((name) => placeColumns[name].sql);

/** @param table with its dot */
export function selectPlace(table = ''): string {
  return placeNames.map((name) => `${table}${placeColumns[name].sql} as "${name}"`).join(', ');
}

export const filterSql = ofGroups((group) => placeColumns[filterColumns[group]].sql);
