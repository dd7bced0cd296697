import type { ListedUser } from '@cellhop/contract/staff/users';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

it('suggests narrower filters for a truncated list', async () => {
  const { screen } = await openAsStaff('/admin/users', {
    allowed: ['USERS_READ'],
    answers: {
      'GET /v1/users/admin/roles': { data: [] },
      'GET /v1/users/admin': { data: [], totalPages: 200, isTruncated: true },
    },
  });
  await expect.poll(() => within(screen.getByRole('main')).queryByText(/Narrow the filters/)).not.toBeNull();
  screen.getByRole('button', { name: /200/ });
});

const exampleUser = (number: number, values: Partial<ListedUser> = {}): ListedUser => ({
  id: `00000000-0000-4000-8000-00000000d00${number}`,
  email: `user${number}@example.com`,
  isConfirmedEmail: true,
  status: 'ACTIVE',
  balance: number,
  referralLevel: 'BASIC',
  role: { name: 'USER' },
  languageCode: 'en',
  referralCode: `USER${number}`,
  createdAt: '2026-11-21T12:00:00.000Z',
  ...values,
});

it('blocks the selected users after a preview with their balances, and says which were refused', async () => {
  const users = [exampleUser(1), exampleUser(2, { role: { name: 'ADMIN' } }), exampleUser(3, { status: 'BLOCKED' })];
  const sent: unknown[] = [];
  const { screen, user } = await openAsStaff('/admin/users', {
    answers: {
      'GET /v1/users/admin/roles': { data: [] },
      'GET /v1/users/admin': { data: users, totalPages: 1, isTruncated: false },
      'POST /v1/users/admin/block': ({ body }) => {
        sent.push(body);
        return {
          data: [
            { userId: users[0]!.id, outcome: 'BLOCKED', refusal: null },
            { userId: users[1]!.id, outcome: 'REFUSED', refusal: 'PERMISSION_LACKING' },
          ],
        };
      },
    },
  });
  await user.click(await screen.findByRole('checkbox', { name: 'Select user1@example.com' }));
  // Who is blocked already cannot be selected.
  expect(screen.queryByRole('checkbox', { name: 'Select user3@example.com' })).toBeNull();
  const bar = within(screen.getByRole('region', { name: 'Selected rows' }));
  bar.getByText('1 selected');
  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }));
  bar.getByText('2 selected');
  await user.click(bar.getByRole('button', { name: 'Block selected' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Block 2 users?' }));
  expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'user1@example.com$1.00',
    'user2@example.com$2.00',
  ]);
  await user.type(dialog.getByLabelText(/^Reason/), 'one person');
  await user.click(dialog.getByRole('button', { name: 'Block 2 users' }));
  expect(await dialog.findByText('1 was left unchanged:')).toBeTruthy();
  expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'user2@example.comTheir role has permissions that you do not have',
  ]);
  expect(sent).toEqual([{ userIds: [users[0]!.id, users[1]!.id], reason: 'one person' }]);
  expect(screen.queryByRole('region', { name: 'Selected rows' })).toBeNull();
});

it('offers no selection without the permission', async () => {
  const { screen } = await openAsStaff('/admin/users', {
    allowed: ['USERS_READ'],
    answers: {
      'GET /v1/users/admin/roles': { data: [] },
      'GET /v1/users/admin': { data: [exampleUser(1)], totalPages: 1, isTruncated: false },
    },
  });
  await screen.findByRole('link', { name: /user1@example\.com/ });
  expect(screen.queryByRole('checkbox')).toBeNull();
});
