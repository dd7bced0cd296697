/** Rules for changes of permissions: staff cannot grant a permission that they lack, and the last administrator cannot be removed. */
import { AppError } from '@cellhop/contract/errors';
import type { Permission } from '@cellhop/contract/permissions';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import * as users from '../users/users.service.ts';

export interface PermissionState {
  /** The current permissions of the acting member of staff, not those at authentication. */
  permissions: ReadonlySet<Permission>;
  /** The active users who may block others. */
  administrators: readonly users.Administrator[];
}

/** Serializes such changes until the end of the transaction. Call it before other locks. */
export async function lockPermissions(ctx: Ctx, actor: Actor): Promise<PermissionState> {
  const administrators = await users.lockAdministrators(ctx);
  const user = await users.findUser(ctx, actor.userId);
  return { permissions: new Set(user?.status === 'ACTIVE' ? user.permissions : []), administrators };
}

/** @throws AppError PERMISSION_LACKING */
export function requirePermissions({ permissions }: PermissionState, needed: readonly Permission[]): void {
  const permission = needed.find((each) => !permissions.has(each));
  if (permission !== undefined) throw new AppError('PERMISSION_LACKING', { permission });
}

/**
 * @param losesAccess whether a change takes USERS_EDIT from this administrator
 * @throws AppError LAST_ADMINISTRATOR if it takes it from all of them
 */
export function requireAdministrator(
  { administrators }: PermissionState,
  losesAccess: (administrator: users.Administrator) => boolean,
): void {
  if (administrators.length > 0 && administrators.every(losesAccess)) throw new AppError('LAST_ADMINISTRATOR');
}

/** Locks a user who is not deleted. @throws AppError NOT_FOUND */
export async function lockExisting(ctx: Ctx, userId: string): Promise<users.LockedUser> {
  const user = await users.lockUser(ctx, userId);
  if (!user || user.status === 'DELETED') throw new AppError('NOT_FOUND', { thing: 'User' });
  return user;
}

/** @throws AppError NOT_FOUND */
export async function findRole(ctx: Ctx, name: string): Promise<users.RoleRow> {
  const role = await users.findRole(ctx, name);
  if (!role) throw new AppError('NOT_FOUND', { thing: 'Role' });
  return role;
}
