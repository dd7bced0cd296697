import { plain } from '../endpoint.ts';
import type * as full from './users.ts';

/** The first one is the default. */
export const userSorts = ['-createdAt', 'createdAt', 'email', '-email'] as const;

/** Shorter texts would be found by reading all emails. */
export const EMAIL_PART_LENGTH_MIN = 3;

export const listUsers = plain<typeof full.listUsers>({
  method: 'GET',
  url: '/v1/users/admin',
  access: { permission: 'USERS_READ' },
});
export const getUser = plain<typeof full.getUser>({
  method: 'GET',
  url: '/v1/users/admin/{id}',
  access: { permission: 'USERS_READ' },
});
export const changeUserStatus = plain<typeof full.changeUserStatus>({
  method: 'PATCH',
  url: '/v1/users/admin/{id}',
  access: { permission: 'USERS_EDIT' },
});
export const changeUserRole = plain<typeof full.changeUserRole>({
  method: 'PATCH',
  url: '/v1/users/admin/{id}/role',
  access: { permission: 'USERS_EDIT' },
});
export const deleteUser = plain<typeof full.deleteUser>({
  method: 'DELETE',
  url: '/v1/users/admin/{id}',
  access: { permission: 'USERS_EDIT' },
});
