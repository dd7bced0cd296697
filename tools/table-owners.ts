/**
 * Each table belongs to one module of the API, which alone reads and writes it. Others read its views (api/sql/views), or call a service;
 * what has to change tables of several modules in one statement is a function of api/sql.
 */
const tablesOf: Record<string, readonly string[]> = {
  'audit-log': ['audit_log'],
  auth: ['known_devices', 'mail_codes', 'rate_limits', 'recovery_codes', 'second_factors', 'sessions'],
  billing: ['connection_runs', 'connections', 'low_balance_warnings', 'receipt_keys'],
  faqs: ['faqs'],
  gateway: ['dns_ports', 'gateway_nodes', 'gateway_runs', 'listening'],
  invoices: ['chain_cursors', 'deposit_addresses', 'deposits', 'invoices', 'sandbox_transactions'],
  'key-rotation': ['resealings'],
  // Only processes from before migration 0024 use verified_sums.
  ledger: ['account_sums', 'account_sums_mark', 'accounts', 'transfers', 'verified_sums'],
  notifications: ['broadcasts', 'notifications'],
  proxies: ['proxies', 'proxy_counts'],
  reconciliation: ['reconciliation'],
  referrals: ['promo_codes', 'referral_month_turns', 'referral_payments', 'trial_credits'],
  support: ['ticket_messages', 'tickets'],
  usage: ['traffic_hours'],
  users: ['roles', 'users'],
};

/** A password, its confirmation and the second factor are columns of the user's row: whoever signs in is looked up in one statement. */
const guests: Record<string, readonly string[]> = { auth: ['users'] };

export const ownerOf: ReadonlyMap<string, string> = new Map(
  Object.entries(tablesOf).flatMap(([module, tables]) => tables.map((table) => [table, module])),
);

/** The tables that a text of SQL, or with SQL in it, reads or writes. */
export function tablesIn(text: string): string[] {
  const code = text.replaceAll(/--.*$|^\s*\/?\*.*$|\/\/.*$/gm, '');
  const named = [...code.matchAll(/\b(?:from|join|into|update(?! of\b)|of)\s+(\w+)/g)].map(([, table]) => table!);
  return [...new Set(named)].filter((table) => ownerOf.has(table));
}

/** @returns tables of others that a module's text names */
export function foreignTables(module: string, text: string): string[] {
  const allowed = new Set([module, ...(guests[module] ?? [])]);
  return tablesIn(text).filter((table) => !allowed.has(ownerOf.get(table)!));
}
