import { expect, test } from 'vitest';
import { isRoleName, toRoleName } from './role-name.ts';
import { staffUsersSearch, toUsersQuery } from './screen.ts';

const given = (search: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(staffUsersSearch(search)).filter(([, value]) => value !== undefined));

test('the URL of the list keeps valid filters and drops all others', () => {
  const search = {
    page: '2',
    referralId: '0190a0b0-0000-7000-8000-000000000001',
    email: ' jane ',
    status: 'BLOCKED',
    role: 'SUPPORT',
    confirmed: false,
    from: '2026-11-01',
    to: '2026-11-30',
    sort: 'email',
  };
  expect(given(search)).toEqual({ ...search, page: 2, email: 'jane', confirmed: 'false' });
  const invalid = {
    page: 0,
    referralId: 'x',
    email: 'ja',
    status: 'GONE',
    role: 'a b',
    confirmed: 'perhaps',
    sort: 'x',
  };
  expect(given({ ...invalid, from: '2026-02-30', to: 'today' })).toEqual({});
});

test('both days of a range are included', () => {
  const query = toUsersQuery({ from: '2026-11-01', to: '2026-11-30' });
  expect(query.createdFrom).toBe(new Date(2026, 10, 1).toISOString());
  expect(query.createdTo).toBe(new Date(2026, 11, 1).toISOString());
});

test('typed text becomes a valid role name', () => {
  expect(toRoleName('night shift-2!')).toBe('NIGHT_SHIFT_2');
  expect(['AB', 'NIGHT_SHIFT_2'].map(isRoleName)).toEqual([true, true]);
  expect(['', 'A', '2ND', '_A', 'night', 'A'.repeat(31)].map(isRoleName)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});
