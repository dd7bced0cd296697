import type { Permission } from '@cellhop/contract/permissions';
import type { CreateRoleBody, Role } from '@cellhop/contract/staff/roles';
import type { TimelineKind } from '@cellhop/contract/staff/lists.values';
import type { BlockUsersBody, StaffUser } from '@cellhop/contract/staff/users';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery, staffDependencies } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';
import { type StaffUsersSearch, toUsersQuery } from './screen.ts';

const dependencies = staffDependencies('staff-users');

export function useUsers(search: StaffUsersSearch) {
  const query = { ...toUsersQuery(search), ...pageQuery(search.page ?? 1) };
  return useList(apiQuery('GET /v1/users/admin', { query }, dependencies));
}

export function useUser(id: string, isEnabled = true) {
  return useApiQuery(apiQuery('GET /v1/users/admin/{id}', { params: { id } }, dependencies), { isEnabled });
}

export function useMails(userId: string, page: number) {
  return useList(
    apiQuery('GET /v1/users/admin/{id}/mails', { params: { id: userId }, query: pageQuery(page) }, dependencies),
  );
}

interface StatusChange {
  user: StaffUser;
  status: 'ACTIVE' | 'BLOCKED';
  reason: string;
}

export function useChangeStatus() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: ({ user: { id, version }, status, reason }: StatusChange) =>
      callForData('PATCH /v1/users/admin/{id}', { params: { id }, body: { status, reason, version } }),
    successText: ({ email, status }) => t(status === 'BLOCKED' ? 'block.done' : 'unblock.done', { email }),
    changes: ['staff-users', 'staff-connections'],
  });
}

/** Users of a page, each with up to hundreds of connections that end first. */
const BULK_TIMEOUT_MS = 120_000;

export function useBlockUsers() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: (body: BlockUsersBody) => callForData('POST /v1/users/admin/block', { body }, { timeoutMs: BULK_TIMEOUT_MS }),
    successText: (results) =>
      t('blockSelected.done', { count: results.filter(({ outcome }) => outcome !== 'REFUSED').length }),
    changes: ['staff-users', 'staff-connections'],
  });
}

/** Accounts that may belong to the same person. */
export function useRelatedUsers(id: string) {
  return useList(apiQuery('GET /v1/users/admin/{id}/related', { params: { id } }, dependencies));
}

interface RoleChange {
  user: StaffUser;
  role: string;
  reason: string;
}

export function useChangeUserRole() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: ({ user: { id, version }, role, reason }: RoleChange) =>
      callForData('PATCH /v1/users/admin/{id}/role', { params: { id }, body: { role, reason, version } }),
    successText: ({ email, role }) => t('changeRole.done', { email, role: role.name }),
    changes: ['staff-users', 'roles'],
  });
}

export function useResetSecondFactor() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: ({ user: { id, version }, reason }: { user: StaffUser; reason: string }) =>
      callForData('POST /v1/users/admin/{id}/second-factor-reset', { params: { id }, body: { reason, version } }),
    successText: ({ email }) => t('resetSecondFactor.done', { email }),
    changes: ['staff-users'],
  });
}

/** Open connections end first, which takes up to five seconds. */
const DELETION_TIMEOUT_MS = 30_000;

export function useDeleteUser() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: ({ user: { id, version }, reason }: { user: StaffUser; reason: string }) =>
      callForData(
        'DELETE /v1/users/admin/{id}',
        { params: { id }, body: { reason, version } },
        { timeoutMs: DELETION_TIMEOUT_MS },
      ),
    successText: (_, { user: { email } }) => t('delete.done', { email }),
    changes: ['staff-users', 'staff-connections'],
  });
}

export function useRoles(isEnabled = true) {
  return useList(apiQuery('GET /v1/users/admin/roles', {}, { topics: ['roles'] }), { isEnabled });
}

export function useCreateRole() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: (body: CreateRoleBody) => callForData('POST /v1/users/admin/roles', { body }),
    successText: ({ name }) => t('roles.created', { name }),
    changes: ['roles'],
  });
}

interface PermissionsChange {
  role: Role;
  permissions: Permission[];
  reason: string;
}

export function useChangeRole() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: ({ role: { name, version }, permissions, reason }: PermissionsChange) =>
      callForData('PUT /v1/users/admin/roles/{name}', { params: { name }, body: { permissions, reason, version } }),
    successText: ({ name }) => t('roles.changed', { name }),
    changes: ['roles'],
  });
}

export function useDeleteRole() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: ({ name, version }: Role) =>
      callForData('DELETE /v1/users/admin/roles/{name}', { params: { name }, query: { version } }),
    successText: ({ name }) => t('roles.deleted', { name }),
    changes: ['roles'],
  });
}

const PAGE_ENTRIES = 25;

export interface TimelineQuery {
  kind?: TimelineKind[] | undefined;
  /** Where the page starts; undefined: with the newest entry. */
  after?: string | undefined;
}

export function useTimeline(userId: string, { kind, after }: TimelineQuery) {
  const query = { size: PAGE_ENTRIES, ...(kind && { kind }), ...(after !== undefined && { after }) };
  return useApiQuery(
    apiQuery('GET /v1/users/admin/{id}/timeline', { params: { id: userId }, query }, staffDependencies('staff-users')),
    {
      isPolled: after === undefined,
      keepsPrevious: true,
    },
  );
}
