import type { StaffUser } from '@cellhop/contract/staff/users';
import { useTranslation } from 'react-i18next';
import { call } from '../../data/http.ts';
import { apiQuery, staffDependencies } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';
import type { StaffUsersSearch } from './screen.ts';
import { toUsersQuery } from './users-query.ts';

const dependencies = staffDependencies('staff-users');

export function useUsers(search: StaffUsersSearch) {
  return useList(apiQuery('GET /v1/users/admin', { query: toUsersQuery(search) }, dependencies));
}

export function useUser(id: string, isEnabled = true) {
  return useApiQuery(apiQuery('GET /v1/users/admin/{id}', { params: { id } }, dependencies), { isEnabled });
}

export function useMails(userId: string, page: number) {
  return useList(apiQuery('GET /v1/users/admin/{id}/mails', { params: { id: userId }, query: { page } }, dependencies));
}

interface StatusChange {
  user: StaffUser;
  status: 'ACTIVE' | 'BLOCKED';
  reason: string;
}

export function useChangeStatus() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: async ({ user: { id, version }, status, reason }: StatusChange) =>
      (await call('PATCH /v1/users/admin/{id}', { params: { id }, body: { status, reason, version } })).data,
    successText: ({ email, status }) => t(status === 'BLOCKED' ? 'block.done' : 'unblock.done', { email }),
    changes: ['staff-users', 'staff-connections'],
  });
}

interface RoleChange {
  user: StaffUser;
  role: string;
  reason: string;
}

export function useChangeUserRole() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: async ({ user: { id, version }, role, reason }: RoleChange) =>
      (await call('PATCH /v1/users/admin/{id}/role', { params: { id }, body: { role, reason, version } })).data,
    successText: ({ email, role }) => t('changeRole.done', { email, role: role.name }),
    changes: ['staff-users', 'roles'],
  });
}

/** Open connections end first, which takes up to five seconds. */
const DELETION_TIMEOUT_MS = 30_000;

export function useDeleteUser() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: async ({ user: { id, version }, reason }: { user: StaffUser; reason: string }) =>
      (
        await call(
          'DELETE /v1/users/admin/{id}',
          { params: { id }, body: { reason, version } },
          { timeoutMs: DELETION_TIMEOUT_MS },
        )
      ).data,
    successText: (_, { user: { email } }) => t('delete.done', { email }),
    changes: ['staff-users', 'staff-connections'],
  });
}
