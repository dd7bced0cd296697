/**
 * Each table belongs to one module of the API, and only that module reads and writes it. Others read its views (api/sql/views) or
 * call a service. A function of api/sql changes tables of several modules in one statement, and invariant checks read all tables.
 */
const tablesByModule: Record<string, readonly string[]> = {
  approvals: ['staff_requests'],
  'audit-log': ['audit_log'],
  auth: [
    'known_devices',
    'mail_codes',
    'rate_limits',
    'recovery_codes',
    'second_factor_resets',
    'second_factors',
    'sessions',
    'view_sessions',
  ],
  billing: [
    'alert_settings',
    'cap_warnings',
    'connection_runs',
    'connections',
    'end_mails',
    'low_balance_warnings',
    'receipt_keys',
    'replacements',
    'unmailed_ends',
  ],
  budgets: ['counted_traffic', 'month_sums', 'revenue_mark', 'traffic_budgets', 'traffic_costs'],
  connections: ['allowed_networks', 'client_addresses', 'connection_labels', 'last_refusals', 'purchase_networks'],
  dashboard: ['dashboard_days', 'dashboard_mark', 'dashboard_proxies', 'dashboard_sums'],
  destinations: ['refused_destinations', 'refused_destinations_revision'],
  faq: ['faqs'],
  gateway: [
    'exit_addresses',
    'exit_check_days',
    'exit_checks',
    'exit_history',
    'exits',
    'gateway_nodes',
    'gateway_runs',
    'listening',
    'node_dns_ports',
  ],
  installation: ['installation'],
  invoices: [
    'chain_cursors',
    'comparisons',
    'deposit_addresses',
    'deposits',
    'exchange_rates',
    'held_amounts',
    'invoices',
    'rate_quotes',
    'rate_sources',
    'sandbox_transactions',
    'sweeps',
    'top_up_receipts',
    'wallet_accounts',
    'witness_time',
  ],
  'key-rotation': ['resealings'],
  ledger: ['account_sums', 'account_sums_mark', 'accounts', 'transfers'],
  mails: ['sent_mails', 'unqueued_mails'],
  notifications: ['broadcasts', 'notifications'],
  profile: ['companies'],
  proxies: [
    'catalogue_changes',
    'catalogue_import_rows',
    'catalogue_import_waiting',
    'catalogue_imports',
    'proxies',
    'proxy_counts',
    'proxy_facets',
    'waiting_proxies',
  ],
  reconciliation: ['reconciliation'],
  referrals: ['promo_codes', 'referral_month_turns', 'referral_payments', 'trial_credits'],
  rotation: ['connection_rotations', 'exit_changes', 'exit_rotations'],
  tickets: [
    'canned_replies',
    'ticket_desk',
    'ticket_files',
    'ticket_messages',
    'ticket_notes',
    'ticket_words',
    'tickets',
  ],
  usage: ['traffic_hours'],
  users: ['person_keys', 'roles', 'users'],
};

/** Password, confirmation and second factor are columns of the user's row, so sign-in needs one statement. */
const alsoAllowed: Record<string, readonly string[]> = { auth: ['users'] };

export const ownerByTable: ReadonlyMap<string, string> = new Map(
  Object.entries(tablesByModule).flatMap(([module, tables]) => tables.map((table) => [table, module])),
);

/** The tables that SQL, or code with SQL in it, reads or writes. */
export function tablesIn(text: string): string[] {
  const code = text.replaceAll(/--.*$|^\s*\/?\*.*$|\/\/.*$/gm, '');
  const named = [...code.matchAll(/\b(?:from|join|into|update(?! of\b)|of)\s+(\w+)/g)].map(([, table]) => table!);
  return [...new Set(named)].filter((table) => ownerByTable.has(table));
}

/** @returns tables of other modules that a module's code uses */
export function foreignTables(module: string, text: string): string[] {
  const allowed = new Set([module, ...(alsoAllowed[module] ?? [])]);
  return tablesIn(text).filter((table) => !allowed.has(ownerByTable.get(table)!));
}
