/** Checks of query parameters. Plain functions: a zod schema here would load zod with the landing page. */
import type { FilterGroup } from '@cellhop/contract/proxies';

type Search = Record<string, unknown>;

export function pageSearch(search: Search): { page?: number } {
  const page = Number(search['page']);
  return Number.isSafeInteger(page) && page > 1 ? { page } : {};
}

/** The groups of the catalogue's filter; the contract's list would bring zod with it. */
const filterGroups = [
  'country',
  'city',
  'region',
  'zip',
  'isp',
  'connectionType',
] as const satisfies readonly FilterGroup[];
/** What the API takes for one group, in values and in their length. */
const FILTER_VALUES_MAX = 100;
const FILTER_VALUE_LENGTH_MAX = 120;

export type ProxySearch = Partial<Record<FilterGroup, string[]>>;

export function proxySearch(search: Search): ProxySearch {
  const found: ProxySearch = {};
  for (const group of filterGroups) {
    const values = [search[group]].flat().map(textOf).filter(isFilterValue);
    const distinct = [...new Set(values)].slice(0, FILTER_VALUES_MAX);
    if (distinct.length > 0) found[group] = distinct;
  }
  return found;
}

function isFilterValue(value: string | undefined): value is string {
  return value !== undefined && value.length <= FILTER_VALUE_LENGTH_MAX;
}

/** `create`: the dialog for a new invoice is open, so that a sign-in in between leads back to it. */
export function invoicesSearch(search: Search): { page?: number; create?: true } {
  return { ...pageSearch(search), ...(String(search['create']) === 'true' && { create: true }) };
}

export function referralSearch(search: Search): { rc?: string } {
  const rc = textOf(search['rc']);
  return rc === undefined ? {} : { rc };
}

export function codeSearch(search: Search): { code?: string } {
  const code = textOf(search['code']);
  return code === undefined ? {} : { code };
}

export function messageSearch(search: Search): { message?: string } {
  const message = textOf(search['message']);
  return message === undefined ? {} : { message };
}

/** Links inside the app may pass a number where the address has text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
