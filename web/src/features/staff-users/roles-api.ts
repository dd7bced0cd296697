import type { CreateRoleBody, Role } from '@cellhop/contract/staff/roles';
import type { Permission } from '@cellhop/contract/permissions';
import { useTranslation } from 'react-i18next';
import { call } from '../../data/http.ts';
import { apiQuery } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useList } from '../../data/use-list.ts';

export function useRoles(isEnabled = true) {
  return useList(apiQuery('GET /v1/users/admin/roles', {}, { topics: ['roles'] }), { isEnabled });
}

export function useCreateRole() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: async (body: CreateRoleBody) => (await call('POST /v1/users/admin/roles', { body })).data,
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
    call: async ({ role: { name, version }, permissions, reason }: PermissionsChange) =>
      (await call('PUT /v1/users/admin/roles/{name}', { params: { name }, body: { permissions, reason, version } }))
        .data,
    successText: ({ name }) => t('roles.changed', { name }),
    changes: ['roles'],
  });
}

export function useDeleteRole() {
  const { t } = useTranslation('staffUsers');
  return useAction({
    call: async ({ name, version }: Role) =>
      (await call('DELETE /v1/users/admin/roles/{name}', { params: { name }, query: { version } })).data,
    successText: ({ name }) => t('roles.deleted', { name }),
    changes: ['roles'],
  });
}
