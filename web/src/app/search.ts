/** Checks of query parameters. Plain functions: a zod schema here would load zod with the landing page. */
type Search = Record<string, unknown>;

export function pageSearch(search: Search): { page?: number } {
  const page = Number(search['page']);
  return Number.isSafeInteger(page) && page > 1 ? { page } : {};
}

export interface TransactionsSearch {
  page?: number;
  /** Joined by commas; the screen leaves out what is no kind. */
  kind?: string;
  /** Days, such as 2026-11-21, both included. */
  from?: string;
  to?: string;
}

export function transactionsSearch(search: Search): TransactionsSearch {
  const kind = textOf(search['kind']);
  const [from, to] = [dayOf(search['from']), dayOf(search['to'])];
  return {
    ...pageSearch(search),
    ...(kind !== undefined && { kind }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
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

/** The router has already turned a value of digits into a number. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Only days that exist: the 30th of February is none. */
function dayOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const day = new Date(`${value}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value) ? undefined : value;
}
