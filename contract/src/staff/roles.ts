import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { ROLE_NAME_LENGTH_MAX, ROLE_NAME_LENGTH_MIN, ROLE_USERS_COUNTED_MAX } from '../limits.ts';
import { permissions } from '../permissions.ts';
import { data, reasonSchema, versionQuery, versionSchema } from '../schemas.ts';

/** Part of a URL, and the same in every language. */
export const roleNameSchema = z
  .string()
  .min(ROLE_NAME_LENGTH_MIN)
  .max(ROLE_NAME_LENGTH_MAX)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must consist of A-Z, 0-9 and _, and begin with a letter');

export const roleSchema = z.object({
  name: z.string(),
  permissions: z.array(z.enum(permissions)),
  /** Neither its permissions can be changed nor can it be deleted. */
  isFixed: z.boolean(),
  /** Users who have it and are not deleted. */
  usersCount: z.int().nonnegative().max(ROLE_USERS_COUNTED_MAX),
  version: versionSchema,
});
export type Role = z.infer<typeof roleSchema>;

const nameParams = z.strictObject({ name: roleNameSchema });
const permissionsSchema = z
  .array(z.enum(permissions))
  .max(permissions.length)
  .refine((names) => new Set(names).size === names.length, 'must not repeat a permission');

export const listRoles = endpoint({
  method: 'GET',
  url: '/v1/users/admin/roles',
  access: { permission: 'USERS_READ' },
  summary: 'All roles by name, with their permissions',
  response: data(z.array(roleSchema)),
});

export const createRoleBody = z.strictObject({ name: roleNameSchema, permissions: permissionsSchema });
export type CreateRoleBody = z.infer<typeof createRoleBody>;

export const createRole = endpoint({
  method: 'POST',
  url: '/v1/users/admin/roles',
  access: { permission: 'ROLES_EDIT' },
  summary: 'Create a role with permissions that the caller has',
  body: createRoleBody,
  response: data(roleSchema),
  status: 201,
  errors: ['PERMISSION_LACKING', 'ROLE_EXISTS', 'TOO_MANY_ROLES'],
});

const changeRoleBody = z.strictObject({
  permissions: permissionsSchema,
  reason: reasonSchema,
  version: versionSchema.optional(),
});
export type ChangeRoleBody = z.infer<typeof changeRoleBody>;

export const changeRole = endpoint({
  method: 'PUT',
  url: '/v1/users/admin/roles/{name}',
  access: { permission: 'ROLES_EDIT' },
  summary: "Replace a role's permissions. It may not have one that the caller lacks, neither before nor after",
  params: nameParams,
  body: changeRoleBody,
  response: data(roleSchema),
  errors: ['NOT_FOUND', 'ROLE_FIXED', 'OWN_ROLE', 'PERMISSION_LACKING', 'LAST_ADMINISTRATOR', 'CHANGED_ELSEWHERE'],
});

export const deleteRole = endpoint({
  method: 'DELETE',
  url: '/v1/users/admin/roles/{name}',
  access: { permission: 'ROLES_EDIT' },
  summary: 'Delete a role without users',
  params: nameParams,
  query: versionQuery,
  response: data(z.object({ name: z.string() })),
  errors: ['NOT_FOUND', 'ROLE_FIXED', 'ROLE_IN_USE', 'PERMISSION_LACKING', 'CHANGED_ELSEWHERE'],
});
