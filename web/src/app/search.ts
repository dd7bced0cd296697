/**
 * Checks of query parameters. Plain functions: a zod schema here would load zod with the landing page. What is refused
 * is named as undefined: the router lays the result over the raw parameters, where a missing key would let it through.
 */
import type { FilterGroup } from '@cellhop/contract/proxies';

type Search = Record<string, unknown>;

export function pageSearch(search: Search): { page?: number | undefined } {
  const page = Number(search['page']);
  return { page: Number.isSafeInteger(page) && page > 1 ? page : undefined };
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

export function proxySearch(search: Search): { [Group in FilterGroup]?: string[] | undefined } {
  const found: ReturnType<typeof proxySearch> = {};
  for (const group of filterGroups) {
    const values = [search[group]].flat().map(textOf).filter(isFilterValue);
    const distinct = [...new Set(values)].slice(0, FILTER_VALUES_MAX);
    found[group] = distinct.length > 0 ? distinct : undefined;
  }
  return found;
}

function isFilterValue(value: string | undefined): value is string {
  return value !== undefined && value.length <= FILTER_VALUE_LENGTH_MAX;
}

/** The proxy whose purchase is open: a sign-in in between leads back to it. */
export function catalogueSearch(search: Search): ReturnType<typeof proxySearch> & { proxy?: string | undefined } {
  return { ...proxySearch(search), proxy: idOf(search['proxy']) };
}

/** `create`: the dialog for something new is open, so that a sign-in in between leads back to it. */
export function creatingSearch(search: Search): { page?: number | undefined; create?: true | undefined } {
  return { ...pageSearch(search), create: String(search['create']) === 'true' ? true : undefined };
}

/** The invoice that is looked at: whoever comes back from his wallet finds it open. */
export function invoicesSearch(search: Search): ReturnType<typeof creatingSearch> & { invoice?: string | undefined } {
  return { ...creatingSearch(search), invoice: idOf(search['invoice']) };
}

export function connectionsSearch(search: Search): ReturnType<typeof pageSearch> & { connection?: string | undefined } {
  return { ...pageSearch(search), connection: idOf(search['connection']) };
}

export interface TransactionsSearch {
  page?: number | undefined;
  /** The screen leaves out what is no kind. */
  kind?: string[] | undefined;
  /** Days, such as 2026-11-21, both included. */
  from?: string | undefined;
  to?: string | undefined;
}

export function transactionsSearch(search: Search): TransactionsSearch {
  const kinds = [search['kind']].flat().map(textOf).filter(isFilterValue);
  return {
    ...pageSearch(search),
    kind: kinds.length > 0 ? [...new Set(kinds)] : undefined,
    from: dayOf(search['from']),
    to: dayOf(search['to']),
  };
}

/** What the API takes for one range. */
const USAGE_DAYS_MAX = 366;
/** Before it the time zones of today did not exist. */
const FIRST_DAY = '1970-01-01';
const DAY_MS = 86_400_000;

interface UsageSearch {
  /** The last 7 days unless given. */
  range?: 'day' | 'month' | undefined;
  /** An own range: both days, or none. */
  from?: string | undefined;
  to?: string | undefined;
  connection?: string | undefined;
}

export function usageSearch(search: Search): UsageSearch {
  const { range, from, to, connection } = search;
  const days = [dayOf(from), dayOf(to)];
  const isOwn = days[0] !== undefined && days[1] !== undefined && isUsageRange(days[0], days[1]);
  return {
    range: !isOwn && (range === 'day' || range === 'month') ? range : undefined,
    from: isOwn ? days[0] : undefined,
    to: isOwn ? days[1] : undefined,
    connection: idOf(connection),
  };
}

function isUsageRange(from: string, to: string): boolean {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return from >= FIRST_DAY && days >= 1 && days <= USAGE_DAYS_MAX;
}

export function referralSearch(search: Search): { rc?: string | undefined } {
  return { rc: textOf(search['rc']) };
}

export function codeSearch(search: Search): { code?: string | undefined } {
  return { code: textOf(search['code']) };
}

export function messageSearch(search: Search): { message?: string | undefined } {
  return { message: textOf(search['message']) };
}

/** Links inside the app may pass a number where the address has text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && ID.test(value) ? value : undefined;
}

/** The day after it must have a year of four digits in every time zone. */
const LAST_DAY = '9999-12-30';

/** Only days that exist: the 30th of February is none. */
function dayOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const day = new Date(`${value}T00:00:00Z`);
  return value > LAST_DAY || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value) ? undefined : value;
}
