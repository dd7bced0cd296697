import { permissions, type Permission } from '@cellhop/contract/permissions';
import { type Answers, customer, openApp } from './open-app.tsx';

interface Options {
  answers?: Answers;
  /** By default all. */
  allowed?: readonly Permission[];
}

/** What the menu and the forms of staff request. */
const staffAnswers: Answers = {
  'GET /v1/approvals/admin/pending': { data: { count: 0 } },
  'GET /v1/approvals/admin/*/allowance': { data: { withoutApproval: null, approvers: [] } },
  // Of lists that show one user.
  'GET /v1/users/admin/*': { data: { id: customer.id, email: customer.email } },
  'GET /v1/users/admin/*/counts': { data: {} },
};

/** Opens an address of the app as a member of staff. */
export function openAsStaff(path: string, { answers = {}, allowed = permissions }: Options = {}) {
  const profile = { ...customer, email: 'admin@example.com', role: { name: 'ADMIN', permissions: [...allowed] } };
  return openApp(path, { answers: { 'GET /v1/profile': { data: profile }, ...staffAnswers, ...answers } });
}
