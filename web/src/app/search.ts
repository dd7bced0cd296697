/** Checks of query parameters. Plain functions: a zod schema here would load zod with the landing page. */
type Search = Record<string, unknown>;

export function pageSearch(search: Search): { page?: number } {
  const page = Number(search['page']);
  return Number.isSafeInteger(page) && page > 1 ? { page } : {};
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
