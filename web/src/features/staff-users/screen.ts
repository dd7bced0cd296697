import { timelineKinds, EMAIL_PART_LENGTH_MIN, userSorts } from '@cellhop/contract/staff/lists.values';
import type { UserStatus } from '@cellhop/contract/users';
import { IconShieldLock, IconUsers } from '@tabler/icons-react';
import {
  dayParameter,
  idParameter,
  oneOf,
  pageSearch,
  textParameter,
  searchParameters,
} from '../../loading/search-values.ts';
import { momentsSearch, toLimitedRange } from '../staff-parts/continuation.ts';
import { someOf, type StaffScreenOf } from '../staff-parts/staff-screen.ts';
import { isRoleName } from './role-name.ts';

export const userStatuses = ['ACTIVE', 'BLOCKED', 'DELETED'] as const satisfies readonly UserStatus[];

export const staffUsersSearch = searchParameters((search) => {
  const email = textParameter(search['email'])?.trim();
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    /** The users whom this one has referred. */
    referralId: idParameter(search['referralId']),
    /** Part of the email. */
    email: email !== undefined && email.length >= EMAIL_PART_LENGTH_MIN ? email : undefined,
    status: oneOf(search['status'], userStatuses),
    role: roleParameter(search['role']),
    confirmed: oneOf(String(search['confirmed']), ['true', 'false'] as const),
    /** Days of the sign-up, such as 2026-11-21, both included. */
    from: dayParameter(search['from']),
    to: dayParameter(search['to']),
    /** Default: the newest first. */
    sort: oneOf(search['sort'], userSorts.slice(1)),
  };
});

export type StaffUsersSearch = ReturnType<typeof staffUsersSearch>;

export const staffUsersScreen = {
  path: '/admin/users',
  permission: 'USERS_READ',
  texts: ['staffUsers', 'referralSystem'],
  search: staffUsersSearch,
  title: { en: 'Users', ru: 'Пользователи' },
  Icon: IconUsers,
} as const satisfies StaffScreenOf<'GET /v1/users/admin'>;

const staffUserSearch = searchParameters((search) => ({
  /** Default: the overview with the timeline. */
  tab: oneOf(search['tab'], ['related', 'mails'] as const),
  /** The page of the mails. */
  ...pageSearch(search),
  /** The kinds of the timeline. */
  kind: someOf(search['kind'], timelineKinds),
  after: textParameter(search['after']),
}));

export type StaffUserSearch = ReturnType<typeof staffUserSearch>;

export const staffUserScreen = {
  path: '/admin/users/$userId',
  permission: 'USERS_READ',
  texts: [
    'staffUsers',
    'staffMoney',
    'staffSystem',
    'referralSystem',
    'transaction',
    'proxyConnection',
    'notification',
  ],
  search: staffUserSearch,
} as const satisfies StaffScreenOf<'GET /v1/users/admin/{id}'>;

export const staffRolesScreen = {
  path: '/admin/roles',
  permission: 'ROLES_EDIT',
  texts: ['staffUsers'],
  title: { en: 'Roles', ru: 'Роли' },
  Icon: IconShieldLock,
} as const satisfies StaffScreenOf<'POST /v1/users/admin/roles'>;

function roleParameter(value: unknown): string | undefined {
  return typeof value === 'string' && isRoleName(value) ? value : undefined;
}

/** The filter as the API takes it. */
export function toExportQuery(search: StaffUsersSearch) {
  const { referralId, email, status, role, confirmed } = search;
  const range = toLimitedRange(search);
  return { referralId, email, status, role, isConfirmed: confirmed, createdFrom: range.from, createdTo: range.to };
}

export function toUsersQuery(search: StaffUsersSearch) {
  return { ...toExportQuery(search), sort: search.sort };
}
