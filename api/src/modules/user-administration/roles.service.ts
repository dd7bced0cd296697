/** Roles and their permissions, changed by staff. */
import { AppError } from '@cellhop/contract/errors';
import { ROLE_USERS_COUNTED_MAX, ROLES_MAX } from '@cellhop/contract/limits';
import { fixedRoles, isPermission, type Permission } from '@cellhop/contract/permissions';
import type { ChangeRoleBody, CreateRoleBody, Role } from '@cellhop/contract/staff/roles';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { refuseStale } from '../../db/refusals.ts';
import { lapseRequests } from '../approvals/approvals.service.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as users from '../users/users.service.ts';
import { findRole, lockPermissions, requireAdministrator, requirePermissions } from './permission-rules.ts';

export async function listRoles(ctx: Ctx): Promise<Role[]> {
  return (await users.listRoles(ctx, ROLE_USERS_COUNTED_MAX)).map(present);
}

/** @throws AppError PERMISSION_LACKING, ROLE_EXISTS, TOO_MANY_ROLES */
export async function createRole(
  ctx: Ctx,
  actor: Actor,
  { name, permissions }: CreateRoleBody,
  requester: Requester,
): Promise<Role> {
  await ctx.tx(async (ctx) => {
    requirePermissions(await lockPermissions(ctx, actor), permissions);
    if ((await users.countRoles(ctx)) >= ROLES_MAX) throw new AppError('TOO_MANY_ROLES');
    if (!(await users.insertRole(ctx, name, permissions))) throw new AppError('ROLE_EXISTS');
    await recordChange(ctx, actor, requester, { action: 'ROLE_CREATED', name, after: permissions });
  });
  return getRole(ctx, name);
}

/** @throws AppError NOT_FOUND, ROLE_FIXED, OWN_ROLE, PERMISSION_LACKING, LAST_ADMINISTRATOR, CHANGED_ELSEWHERE */
export async function changeRole(
  ctx: Ctx,
  actor: Actor,
  name: string,
  { permissions, reason, version }: ChangeRoleBody,
  requester: Requester,
): Promise<Role> {
  refuseFixed(name);
  await ctx.tx(async (ctx) => {
    const state = await lockPermissions(ctx, actor);
    const role = await findRole(ctx, name);
    if ((await users.findUser(ctx, actor.userId))?.roleName === name) throw new AppError('OWN_ROLE');
    refuseStale(version, role.version);
    requirePermissions(state, [...role.permissions, ...permissions]);
    if (!permissions.includes('USERS_EDIT')) requireAdministrator(state, ({ roleName }) => roleName === name);
    // Permissions of a newer release are not shown here, so staff cannot have removed them.
    const after = [...permissions, ...role.permissions.filter((each) => !isPermission(each))];
    await users.updatePermissions(ctx, name, after);
    await lapseRequests(ctx);
    const change = { action: 'ROLE_CHANGED', name, before: role.permissions, after, reason } as const;
    await recordChange(ctx, actor, requester, change);
  });
  return getRole(ctx, name);
}

/** @throws AppError NOT_FOUND, ROLE_FIXED, ROLE_IN_USE, PERMISSION_LACKING, CHANGED_ELSEWHERE */
export async function deleteRole(
  ctx: Ctx,
  actor: Actor,
  { name, version }: { name: string; version?: number | undefined },
  requester: Requester,
): Promise<void> {
  refuseFixed(name);
  await ctx.tx(async (ctx) => {
    const state = await lockPermissions(ctx, actor);
    const { permissions, ...role } = await findRole(ctx, name);
    refuseStale(version, role.version);
    requirePermissions(state, permissions);
    if (!(await users.deleteRole(ctx, name))) throw new AppError('ROLE_IN_USE');
    await recordChange(ctx, actor, requester, { action: 'ROLE_DELETED', name, before: permissions });
  });
}

/** USER stays without permissions: with one, all customers would be staff. */
function refuseFixed(name: string): void {
  if (isFixed(name)) throw new AppError('ROLE_FIXED');
}

function isFixed(name: string): boolean {
  return fixedRoles.some((fixed) => fixed === name);
}

interface Change {
  action: 'ROLE_CREATED' | 'ROLE_CHANGED' | 'ROLE_DELETED';
  name: string;
  before?: readonly Permission[];
  after?: readonly Permission[];
  reason?: string;
}

/** A role has no id, so its name is in the details. */
function recordChange(
  ctx: Ctx,
  { userId }: Actor,
  requester: Requester,
  { action, name, before, after, reason }: Change,
): Promise<void> {
  return record(ctx, {
    action,
    actorId: userId,
    subject: { type: 'ROLE' },
    requester,
    reason,
    details: { role: name },
    ...(before && { before: { permissions: before } }),
    ...(after && { after: { permissions: after } }),
  });
}

async function getRole(ctx: Ctx, name: string): Promise<Role> {
  const role = (await listRoles(ctx)).find((each) => each.name === name);
  if (!role) throw new AppError('NOT_FOUND', { thing: 'Role' });
  return role;
}

function present({ name, permissions, usersCount, version }: users.ListedRoleRow): Role {
  // A newer release may have stored permissions that this one does not know.
  return { name, permissions: permissions.filter(isPermission), isFixed: isFixed(name), usersCount, version };
}
