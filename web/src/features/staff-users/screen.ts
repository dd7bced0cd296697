import { type TimelineKind, timelineKinds } from '@cellhop/contract/staff/timeline.values';
import type { UserSort } from '@cellhop/contract/staff/users';
import { EMAIL_PART_LENGTH_MIN, userSorts } from '@cellhop/contract/staff/users.values';
import type { UserStatus } from '@cellhop/contract/users';
import { IconShieldLock, IconUsers } from '@tabler/icons-react';
import { dayOf, idOf, oneOf, pageSearch, type Search, textOf, textsOf } from '../../loading/search-values.ts';
import { type Moments, momentsSearch, toLimitedRange } from '../staff-parts/continuation.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';
import { isRoleName } from './role-name.ts';

export const userStatuses = ['ACTIVE', 'BLOCKED', 'DELETED'] as const satisfies readonly UserStatus[];

export const staffUsersScreen = {
  path: '/admin/users',
  permission: 'USERS_READ',
  texts: ['staffUsers', 'referralSystem'],
  search: staffUsersSearch,
  title: 'users',
  Icon: IconUsers,
} as const satisfies StaffScreenOf<'GET /v1/users/admin'>;

export const staffUserScreen = {
  path: '/admin/users/$userId',
  permission: 'USERS_READ',
  texts: ['staffUsers', 'staffSystem', 'referralSystem', 'transaction', 'proxyConnection', 'notification'],
  search: staffUserSearch,
  title: 'users',
} as const satisfies StaffScreenOf<'GET /v1/users/admin/{id}'>;

export const staffRolesScreen = {
  path: '/admin/roles',
  permission: 'ROLES_EDIT',
  texts: ['staffUsers'],
  title: 'roles',
  Icon: IconShieldLock,
} as const satisfies StaffScreenOf<'POST /v1/users/admin/roles'>;

export interface StaffUsersSearch extends Moments {
  page?: number | undefined;
  /** The users whom this one has referred. */
  referralId?: string | undefined;
  /** Part of the email. */
  email?: string | undefined;
  status?: UserStatus | undefined;
  role?: string | undefined;
  confirmed?: 'true' | 'false' | undefined;
  /** Days of the sign-up, such as 2026-11-21, both included. */
  from?: string | undefined;
  to?: string | undefined;
  /** Default: the newest first. */
  sort?: UserSort | undefined;
}

export function staffUsersSearch(search: Search): StaffUsersSearch {
  const email = textOf(search['email'])?.trim();
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    referralId: idOf(search['referralId']),
    email: email !== undefined && email.length >= EMAIL_PART_LENGTH_MIN ? email : undefined,
    status: oneOf(search['status'], userStatuses),
    role: roleOf(search['role']),
    confirmed: oneOf(String(search['confirmed']), ['true', 'false'] as const),
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    sort: oneOf(search['sort'], userSorts.slice(1)),
  };
}

function roleOf(value: unknown): string | undefined {
  return typeof value === 'string' && isRoleName(value) ? value : undefined;
}

export interface StaffUserSearch {
  /** The page of the mails. */
  page?: number | undefined;
  /** The kinds of the timeline. */
  kind?: TimelineKind[] | undefined;
  after?: string | undefined;
}

function staffUserSearch(search: Search): StaffUserSearch {
  const kinds = textsOf(search['kind']).flatMap((kind) => oneOf(kind, timelineKinds) ?? []);
  return { ...pageSearch(search), kind: kinds.length > 0 ? kinds : undefined, after: textOf(search['after']) };
}

export function toUsersQuery({ from, to, since, until, confirmed, ...search }: StaffUsersSearch) {
  const range = toLimitedRange({ from, to, since, until });
  return { ...search, isConfirmed: confirmed, createdFrom: range.from, createdTo: range.to };
}
