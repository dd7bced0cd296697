import type { RelatedUser, StaffUser, UserCounts } from '@cellhop/contract/staff/users';
import type { Role } from '@cellhop/contract/staff/roles';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, isDisabled, refusal } from '../../../test/open-app.tsx';
import { openAsStaff } from '../../../test/open-staff.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const shownUser: StaffUser = {
  id: ID,
  email: 'shown@example.com',
  isConfirmedEmail: true,
  status: 'ACTIVE',
  balance: 1,
  referralLevel: 'BASIC',
  role: { name: 'USER' },
  createdAt: '2026-11-21T12:00:00.000Z',
  languageCode: 'en',
  referralCode: 'SHOWN12345',
  deletedAt: null,
  referral: null,
  promoCode: null,
  hasSecondFactor: false,
  secondFactorResetAt: null,
  version: 1,
};
const exampleRole = (name: string, changes: Partial<Role> = {}): Role => ({
  name,
  permissions: ['FAQ_READ'],
  isFixed: false,
  usersCount: 0,
  version: 1,
  ...changes,
});

const counts: UserCounts = {
  referrals: 2,
  related: 1,
  connections: 10_000,
  invoices: 3,
  tickets: 0,
  promoCodes: 0,
  transactions: null,
  notifications: 0,
  mails: 4,
};

async function openUser(answers: Answers, search = '') {
  const app = await openAsStaff(`/admin/users/${ID}${search}`, {
    answers: {
      'GET /v1/users/admin/*/counts': { data: counts },
      'GET /v1/transactions/admin': {
        data: [],
        totalPages: 0,
        isTruncated: false,
        user: { id: ID, email: shownUser.email },
        balance: 1,
        held: 0.25,
      },
      'GET /v1/users/admin/roles': { data: [exampleRole('NIGHT_SHIFT'), exampleRole('SUPPORT'), exampleRole('USER')] },
      'GET /v1/users/admin/*/timeline': { data: [], next: null },
      'GET /v1/users/admin/*/mails': { data: [], totalPages: 0 },
      ...answers,
    },
  });
  const { screen, user } = app;
  await screen.findByRole('heading', { level: 2, name: shownUser.email });
  const chips = () => screen.getByRole('list', { name: 'Account status' }).textContent;
  const confirm = async (action: string) => {
    const dialog = within(await screen.findByRole('dialog'));
    const button = dialog.getByRole('button', { name: action });
    expect(isDisabled(button)).toBe(true);
    await user.type(dialog.getByLabelText(/^Reason/), 'as agreed by mail');
    await user.click(button);
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  };
  const chooseFromMenu = async (action: string) => {
    await user.click(screen.getByRole('button', { name: 'More actions' }));
    await user.click(await screen.findByRole('menuitem', { name: action }));
  };
  return { ...app, chips, confirm, chooseFromMenu };
}

it('gives a user another role; a change in between is shown, not overwritten', async () => {
  let current = shownUser;
  let sent: unknown;
  const { chips, chooseFromMenu, confirm, screen, user } = await openUser({
    [`GET /v1/users/admin/${ID}`]: () => ({ data: current }),
    [`PATCH /v1/users/admin/${ID}/role`]: ({ body }) => {
      sent = body;
      return refusal(409, 'CHANGED_ELSEWHERE');
    },
  });
  await chooseFromMenu('Change role');
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByRole('combobox', { name: 'New role' }));
  await user.click(await screen.findByRole('option', { name: 'NIGHT_SHIFT' }));
  // Somebody else changes the user first.
  current = { ...shownUser, role: { name: 'SUPPORT' }, version: 2 };
  await confirm('Change role');
  await screen.findByText('Someone else has changed this', { exact: false });
  expect(sent).toEqual({ role: 'NIGHT_SHIFT', reason: 'as agreed by mail', version: 1 });
  await expect.poll(chips).toContain('SUPPORT');
});

it('asks for a reset of a second factor, and shows when it takes place', { tags: ['thorough'] }, async () => {
  let current: StaffUser = { ...shownUser, hasSecondFactor: true };
  let sent: unknown;
  const { chooseFromMenu, confirm, screen, user } = await openUser({
    [`GET /v1/users/admin/${ID}`]: () => ({ data: current }),
    [`POST /v1/users/admin/${ID}/second-factor-reset`]: ({ body }) => {
      sent = body;
      current = { ...current, secondFactorResetAt: '2026-11-22T12:00:00.000Z' };
      return { data: current };
    },
  });
  await chooseFromMenu('Reset two-factor sign-in');
  await confirm('Reset two-factor sign-in');
  expect(sent).toEqual({ reason: 'as agreed by mail', version: 1 });
  await screen.findByText('Two-factor sign-in turns off');
  await user.click(screen.getByRole('button', { name: 'More actions' }));
  await screen.findByRole('menuitem', { name: 'Delete' });
  expect(screen.queryByRole('menuitem', { name: 'Reset two-factor sign-in' })).toBeNull();
});

it('does not delete an account with a balance; without one it does', { tags: ['thorough'] }, async () => {
  let current = shownUser;
  const { api, chips, chooseFromMenu, confirm, screen } = await openUser({
    [`GET /v1/users/admin/${ID}`]: () => ({ data: current }),
    [`DELETE /v1/users/admin/${ID}`]: refusal(409, 'BALANCE_NOT_ZERO'),
  });
  await chooseFromMenu('Delete');
  await confirm('Delete');
  await screen.findByText('The balance is not zero', { exact: false });
  api.set({
    [`DELETE /v1/users/admin/${ID}`]: () => {
      current = { ...shownUser, status: 'DELETED', deletedAt: shownUser.createdAt, version: 2 };
      return { data: current };
    },
  });
  await chooseFromMenu('Delete');
  await confirm('Delete');
  await expect.poll(chips).toContain('Deleted');
  expect(screen.queryByRole('button', { name: 'More actions' })).toBeNull();
});

it('refuses to overwrite the permissions of a role that others changed meanwhile', { tags: ['thorough'] }, async () => {
  let role = exampleRole('NIGHT_SHIFT');
  let sent: unknown;
  const { api, screen, user } = await openAsStaff('/admin/roles', {
    answers: {
      'GET /v1/users/admin/roles': () => ({ data: [role] }),
      'PUT /v1/users/admin/roles/NIGHT_SHIFT': ({ body }) => {
        sent = body;
        return refusal(409, 'CHANGED_ELSEWHERE');
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Change NIGHT_SHIFT' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByLabelText('TICKETS_READ'));
  await user.type(dialog.getByLabelText(/^Reason/), 'also reads tickets');
  role = { ...role, permissions: ['AUDIT_READ'], version: 2 };
  api.refetch();
  // The live event has updated the row, but the dialog still has the older version.
  const row = () => screen.getByRole('row', { name: /NIGHT_SHIFT/ }).textContent;
  await expect.poll(row).toContain('AUDIT_READ');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await screen.findByText('Someone else has changed this', { exact: false });
  expect(sent).toEqual({
    permissions: ['TICKETS_READ', 'FAQ_READ'],
    reason: 'also reads tickets',
    version: 1,
  });
});

const purchase = (id: number, status: 'WORK' | 'NO_MONEY') => ({
  kind: 'PURCHASE',
  id: `${id}`,
  at: '2026-11-21T12:00:00.000Z',
  connectionId: `00000000-0000-4000-8000-00000000000${id}`,
  ip: `198.18.0.${id}`,
  status,
  paidFor: id,
});

it('says "so far" only of purchases that are still open', async () => {
  const timeline = { data: [purchase(1, 'WORK'), purchase(2, 'NO_MONEY')], next: null };
  const { screen } = await openUser({
    [`GET /v1/users/admin/${ID}`]: { data: shownUser },
    'GET /v1/users/admin/*/timeline': timeline,
  });
  const entry = async (ip: string) => (await screen.findByRole('link', { name: ip })).closest('li')?.textContent;
  expect(await entry('198.18.0.1')).toMatch(/\$1\.00 so far$/);
  expect(await entry('198.18.0.2')).toMatch(/\$2\.00$/);
});

it('has the balance as its headline, with what is held, and adjusts it there', async () => {
  const sent: unknown[] = [];
  const { screen, user } = await openUser({
    [`GET /v1/users/admin/${ID}`]: { data: shownUser },
    'POST /v1/transactions/admin/adjustments': ({ body }) => {
      sent.push(body);
      return { data: { status: 'APPLIED' } };
    },
  });
  const head = within(screen.getByRole('article'));
  head.getByText('$1.00');
  await head.findByText('of which $0.25 held for traffic');
  await user.click(head.getByRole('button', { name: 'Adjust balance' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText(/^Amount, USD/), '2');
  await dialog.findByText(/Available balance: \$0\.75 now, \$2\.75 afterwards/);
  await user.type(dialog.getByLabelText(/^Reason/), 'goodwill');
  await user.click(dialog.getByRole('button', { name: 'Credit $2.00' }));
  await screen.findByText('Balance adjusted');
  expect(sent).toEqual([{ userId: ID, amount: 2, reason: 'goodwill' }]);
});

it('has tabs with the number of rows, of those lists that the role may read', async () => {
  const { screen } = await openUser({ [`GET /v1/users/admin/${ID}`]: { data: shownUser } });
  const tabs = within(screen.getByRole('navigation', { name: 'Pages of this user' }));
  expect((await tabs.findByRole('link', { name: /^Connections/ })).textContent).toContain('10,000+');
  expect(tabs.getByRole('link', { name: /^Invoices.*3$/ }).getAttribute('href')).toContain(`userId=${ID}`);
  expect(tabs.getByRole('link', { name: 'Overview' }).getAttribute('aria-current')).toBe('page');
  expect(tabs.getByRole('link', { name: /^Related/ }).getAttribute('aria-current')).toBeNull();
});

it(
  'selects related accounts with the same address, never those that only share a network',
  { tags: ['thorough'] },
  async () => {
    const related = (number: number, values: Partial<RelatedUser>): RelatedUser => {
      const { deletedAt: _deletedAt, referral: _referral, promoCode: _promoCode, ...listed } = shownUser;
      const { hasSecondFactor: _hasSecondFactor, version: _version, ...user } = listed;
      const id = `00000000-0000-4000-8000-00000000e00${number}`;
      return { ...user, id, email: `other${number}@example.com`, relation: 'SAME_NETWORK', ...values };
    };
    const same = related(1, { relation: 'SAME_PERSON', balance: 7.5 });
    const { screen, user } = await openUser(
      {
        [`GET /v1/users/admin/${ID}`]: { data: shownUser },
        'GET /v1/users/admin/*/related': {
          data: [
            same,
            related(2, {}),
            related(3, { relation: 'SAME_NETWORK_AND_DEVICE' }),
            related(4, { relation: 'SAME_PAYER' }),
            related(5, { relation: 'SAME_CLIENT' }),
          ],
          isTruncated: true,
        },
      },
      '?tab=related',
    );
    const boxes = await screen.findAllByRole('checkbox');
    expect(boxes.map((box) => (box as HTMLInputElement).checked)).toEqual([true, false, false, false, false]);
    const inCommon = within(screen.getByRole('region', { name: 'Payments or addresses in common' }));
    inCommon.getByText('Payer');
    inCommon.getByText('Address of the programs');
    await screen.findByText('There are more accounts; the most recent ones are shown.');
    await user.click(screen.getByRole('button', { name: 'Block selected' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Block 1 user?' }));
    expect(dialog.getByRole('listitem').textContent).toBe('other1@example.com$7.50');
  },
);
