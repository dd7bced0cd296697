/** Users, their status and language. */
import type { Permission } from '@cellhop/contract/permissions';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { UserStatus } from '@cellhop/contract/users';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { newReferralCode } from './referral-code.ts';
import * as roles from './roles.store.ts';
import * as store from './users.store.ts';

export type Administrator = store.Administrator;
export type LockedUser = store.LockedUser;
export type User = store.UserRow;
export type NewUser = Omit<store.NewUser, 'referralCode' | 'accountId'>;

/** @returns the new user's id, or undefined if the email is taken; the caller's transaction must then not commit */
export async function createUser(ctx: Ctx, user: NewUser): Promise<{ id: string; accountId: bigint } | undefined> {
  const accountId = await ledger.openAccount(ctx);
  const id = await store.insertUser(ctx, { ...user, accountId, referralCode: newReferralCode() });
  return id === undefined ? undefined : { id, accountId };
}

export function findUser(ctx: Ctx, id: string): Promise<User | undefined> {
  return store.findUser(ctx, id);
}

/** Locks the user until the end of the transaction, which serializes changes of their status. */
export function lockUser(ctx: Ctx, id: string): Promise<store.LockedUser | undefined> {
  return store.lockUser(ctx, id);
}

export function updateStatus(ctx: Ctx, id: string, status: UserStatus): Promise<void> {
  return store.updateStatus(ctx, id, status);
}

export function updateRole(ctx: Ctx, id: string, roleName: string): Promise<void> {
  return store.updateRole(ctx, id, roleName);
}

/** @param email replaces theirs, so that they can sign up again with it */
export function markDeleted(ctx: Ctx, id: string, email: string): Promise<void> {
  return store.markDeleted(ctx, id, email);
}

/**
 * Serializes changes of permissions until the end of the transaction. Call it before other locks.
 * @returns the active users who may block others
 */
export async function lockAdministrators(ctx: Ctx): Promise<store.Administrator[]> {
  await roles.lockRoles(ctx);
  return store.listAdministrators(ctx);
}

/** @returns the active staff whose role has the permission, by email */
export function listHolders(ctx: Ctx, permission: Permission, limit: number): Promise<{ id: string; email: string }[]> {
  return store.listHolders(ctx, permission, limit);
}

/** Changes the language of later mails and pages, and of all notifications. */
export async function changeLanguage(ctx: Ctx, userId: string, languageCode: LanguageCode): Promise<void> {
  await store.updateLanguage(ctx, userId, languageCode);
  ctx.changed({ userId }, 'notifications');
}

export { needsSecondFactor, secondFactorState } from './second-factor-state.ts';
export {
  countUsers,
  findStaffUser,
  listUsers,
  type ListedUserRow,
  type StaffUserRow,
  type UserFilter,
} from './user-list.store.ts';
export {
  countRoles,
  deleteRole,
  findRole,
  insertRole,
  listRoles,
  updateRole as updatePermissions,
  type ListedRoleRow,
  type RoleRow,
} from './roles.store.ts';
