import type { UsageSort } from '@cellhop/contract/usage';
import { USAGE_DAYS_MAX, usageSorts } from '@cellhop/contract/usage.values';
import { IconChartBar } from '@tabler/icons-react';
import type { Screen } from '../../loading/screen.ts';
import { dayParameter, idParameter, oneOf, type Search } from '../../loading/search-values.ts';

/** Time zone data is not reliable for earlier days. */
const FIRST_DAY = '1970-01-01';
const DAY_MS = 86_400_000;

export const usageScreen = {
  path: '/usage',
  texts: ['usage', 'proxyConnection'],
  search: usageSearch,
  title: 'usage',
  Icon: IconChartBar,
} as const satisfies Screen;

export interface RangeSearch {
  /** Default: the last 7 days. */
  range?: 'day' | 'month' | undefined;
  /** A custom range: both days, or none. */
  from?: string | undefined;
  to?: string | undefined;
}

interface UsageSearch extends RangeSearch {
  connection?: string | undefined;
  /** Order of the connections; default: most expensive first. */
  sort?: UsageSort | undefined;
}

export function usageSearch(search: Search): UsageSearch {
  const { range, from, to, connection, sort } = search;
  const days = [dayParameter(from), dayParameter(to)];
  const isOwn = days[0] !== undefined && days[1] !== undefined && isUsageRange(days[0], days[1]);
  return {
    range: !isOwn && (range === 'day' || range === 'month') ? range : undefined,
    from: isOwn ? days[0] : undefined,
    to: isOwn ? days[1] : undefined,
    connection: idParameter(connection),
    sort: oneOf(sort, usageSorts.slice(1)),
  };
}

function isUsageRange(from: string, to: string): boolean {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return from >= FIRST_DAY && days >= 1 && days <= USAGE_DAYS_MAX;
}
