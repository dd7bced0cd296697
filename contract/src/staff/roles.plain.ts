import { plain } from '../endpoint.ts';
import type * as full from './roles.ts';

/** USER is the role of customers and has no permissions; ADMIN always has all. */
export const fixedRoles = ['USER', 'ADMIN'] as const;

/** More users of a role are not counted. */
export const ROLE_USERS_COUNTED_MAX = 1000;

export const listRoles = plain<typeof full.listRoles>({
  method: 'GET',
  url: '/v1/users/admin/roles',
  access: { permission: 'USERS_READ' },
});
export const createRole = plain<typeof full.createRole>({
  method: 'POST',
  url: '/v1/users/admin/roles',
  access: { permission: 'ROLES_EDIT' },
});
export const changeRole = plain<typeof full.changeRole>({
  method: 'PUT',
  url: '/v1/users/admin/roles/{name}',
  access: { permission: 'ROLES_EDIT' },
});
export const deleteRole = plain<typeof full.deleteRole>({
  method: 'DELETE',
  url: '/v1/users/admin/roles/{name}',
  access: { permission: 'ROLES_EDIT' },
});
