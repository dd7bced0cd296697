import { permissions, type Permission } from '@cellhop/contract/permissions';
import type { Attention } from '@cellhop/contract/staff/dashboard';
import { type Answers, customer, openApp } from './open-app.tsx';

interface Options {
  answers?: Answers;
  /** By default all. */
  allowed?: readonly Permission[];
  /** Of the window. */
  width?: number;
}

export const nothingWaits: Attention = {
  approvals: { waiting: 0, list: null },
  tickets: { waiting: 0, oldest: null },
  heldPayments: 0,
  unhealthyProxies: 0,
  silentNodes: 0,
  troubledChains: [],
  failedJobs: 0,
  mails: { lateSince: null },
  machine: null,
  restore: { isOpen: false, movedAt: null },
  moneyCheck: { isBroken: false, violationCount: 0 },
};

/** What the menu and the forms of staff request. */
const staffAnswers: Answers = {
  'GET /v1/dashboard/admin/attention': { data: nothingWaits },
  'GET /v1/approvals/admin/*/allowance': { data: { withoutApproval: null, approvers: [] } },
  'GET /v1/nodes/admin/traffic-budgets': { data: [], totalPages: 0, isTruncated: false },
  // Of lists that show one user.
  'GET /v1/users/admin/*': { data: { id: customer.id, email: customer.email } },
  'GET /v1/users/admin/*/counts': { data: {} },
};

/** Opens an address of the app as a member of staff. */
export function openAsStaff(path: string, { answers = {}, allowed = permissions, ...window }: Options = {}) {
  const profile = { ...customer, email: 'admin@example.com', role: { name: 'ADMIN', permissions: [...allowed] } };
  return openApp(path, { ...window, answers: { 'GET /v1/profile': { data: profile }, ...staffAnswers, ...answers } });
}
