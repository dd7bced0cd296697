import { placeColumns, placeNames } from '../places.values.ts';

/**
 * `SOLD`, `RETIRED` and the states of an exit that does not work may overlap; the state of a row is the first that applies.
 * `UNCHECKED`: no check of its exit has succeeded yet. `UNHEALTHY`: checks fail. `SPENT`: nine tenths of a
 * traffic budget are used. `ELSEWHERE` is for filters alone: checks have seen another
 * country or operator than what is sold.
 */
export const proxyStates = [
  'SOLD',
  'RETIRED',
  'UNCHECKED',
  'UNHEALTHY',
  'DRAINING',
  'SPENT',
  'FREE',
  'ELSEWHERE',
] as const;
export type ProxyState = (typeof proxyStates)[number];

export const exitHealths = ['UNCHECKED', 'HEALTHY', 'UNHEALTHY'] as const;
export type ExitHealth = (typeof exitHealths)[number];

/**
 * Nothing was changed if it is `REFUSED`, because the proxies were no longer those that had been seen, or `FAILED`, after several attempts.
 * Staff retry a failed one, or dismiss it.
 */
export const inventoryChangeStatuses = ['WAITING', 'RUNNING', 'DONE', 'REFUSED', 'FAILED', 'DISMISSED'] as const;
export type InventoryChangeStatus = (typeof inventoryChangeStatuses)[number];

export const inventoryChangeKinds = ['PRICE', 'RETIRE', 'RESTORE', 'IMPORT'] as const;
export type InventoryChangeKind = (typeof inventoryChangeKinds)[number];

/** Why a check of an exit did not succeed. A newer API may send others. */
export const exitCheckReasons = [
  'exit-lost',
  'exit-unavailable',
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-auth-failed',
  'upstream-malformed',
  'upstream-closed',
  'upstream-failed',
  'upstream-refused',
  'name-not-found',
  'dns-timeout',
  'network-unreachable',
  'host-unreachable',
  'connection-refused',
  'connection-terminated',
  'dial-timeout',
  'descriptors-exhausted',
  'echo-unreachable',
  'echo-mismatch',
  'echo-status',
  'echo-malformed',
  'echo-tls',
  'echo-alone',
  'credentials-unreadable',
] as const;
export type ExitCheckReason = (typeof exitCheckReasons)[number];

export const inventorySorts = ['ip', '-ip', 'price', '-price'] as const;
export type InventorySort = (typeof inventorySorts)[number];

/** The columns that an import must have, in the order of an export. */
export const importColumns = [
  'ip',
  'price',
  ...placeNames.filter((name) => placeColumns[name].isRequired),
  'node',
  'exitKind',
  'exit',
] as const;
export type ImportColumn = (typeof importColumns)[number];

/** Limits of each proxy. An empty cell is the setting of the shop. */
export const limitColumns = ['ports', 'tunnels', 'megabitsPerSecond'] as const;
export type LimitColumn = (typeof limitColumns)[number];
/** Further columns. Without one of them, an import keeps what a proxy has. */
export const optionalColumns: readonly FileColumn[] = [
  ...limitColumns,
  ...placeNames.filter((name) => !placeColumns[name].isRequired),
  'rotation',
];
/** `rotation`: the link of a farm that changes the address of the exit. */
export type FileColumn = ImportColumn | LimitColumn | 'rotation';

/** Which of two parts comes first in a line that can be read both ways: `host:port` or `user:password`. */
export const lineOrders = ['host-first', 'login-first'] as const;
export type LineOrder = (typeof lineOrders)[number];

/** Kinds of exits that a line of a provider's list may mean. */
export const lineKinds = ['socks5', 'http'] as const;

export const fileFormats = ['csv', 'json'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** The errors of lines in an imported file. */
export const importProblems = [
  'NOT_UTF8',
  'EMPTY_FILE',
  'NO_ROWS',
  'TOO_MANY_ROWS',
  'TOO_MANY_COLUMNS',
  'TOO_LARGE',
  'MISSING_COLUMN',
  'UNKNOWN_COLUMN',
  'DUPLICATE_COLUMN',
  'WRONG_FIELD_COUNT',
  'STRAY_QUOTE',
  'UNCLOSED_QUOTE',
  'NOT_JSON',
  'NOT_A_LIST',
  'NOT_AN_OBJECT',
  'NOT_TEXT',
  'REQUIRED',
  'TOO_LONG',
  'INVALID_TEXT',
  'NOT_AN_ADDRESS',
  'NOT_A_PRICE',
  'NOT_A_COUNTRY',
  'NOT_AN_ASN',
  'UNKNOWN_NODE',
  'UNKNOWN_EXIT_KIND',
  'NOT_AN_UPSTREAM',
  'REFUSED_UPSTREAM',
  'HIDDEN_CREDENTIALS',
  'NOT_A_PORT_RULE',
  'NOT_A_TUNNEL_COUNT',
  'NOT_A_SPEED',
  'NOT_A_LINK',
  'DUPLICATE_IP',
  'DUPLICATE_EXIT',
  'SHARED_EXIT',
  'EITHER_ORDER',
] as const;
export type ImportProblem = (typeof importProblems)[number];
