/** Users, their status and language. */
import type { Permission } from '@cellhop/contract/permissions';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Profile } from '@cellhop/contract/users';
import { randomInt } from 'node:crypto';
import type { Ctx } from '../../ctx.ts';
import type { Config } from '../../process/config.ts';
import * as ledger from '../ledger/ledger.service.ts';
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

/**
 * Serializes changes of permissions until the end of the transaction. Call it before other locks.
 * @returns the active users who may block others
 */
export async function lockAdministrators(ctx: Ctx): Promise<store.Administrator[]> {
  await roles.lockRoles(ctx);
  return store.listAdministrators(ctx);
}

/** Changes the language of later mails and pages, and of all notifications. */
export async function changeLanguage(ctx: Ctx, userId: string, languageCode: LanguageCode): Promise<void> {
  await store.updateLanguage(ctx, userId, languageCode);
  ctx.changed({ userId }, 'notifications');
}

/** Codes are spoken or copied by hand, so there are no look-alikes (0, 1, I, L, O, U). */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
/** With 30^10 codes a collision is practically impossible, and the database would refuse it. */
const LENGTH = 10;

export function newReferralCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

interface Owner {
  permissions: readonly Permission[];
  hasSecondFactor: boolean;
}

/** The setting REQUIRE_STAFF_2FA requires a second factor for all roles with permissions. */
export function needsSecondFactor(
  { requiresStaffSecondFactor }: Pick<Config, 'requiresStaffSecondFactor'>,
  permissions: readonly Permission[],
): boolean {
  return requiresStaffSecondFactor && permissions.length > 0;
}

/** DUE: required but not enabled. Until then the user has no permissions. */
export function secondFactorState(
  config: Pick<Config, 'requiresStaffSecondFactor'>,
  { permissions, hasSecondFactor }: Owner,
): Profile['secondFactor'] {
  if (hasSecondFactor) return 'ON';
  return needsSecondFactor(config, permissions) ? 'DUE' : 'OFF';
}

/** Whether the user has the permission now: work that lasts asks before each part. */
export async function mayStill(ctx: Ctx, id: string, permission: Permission): Promise<boolean> {
  const user = await store.findUser(ctx, id);
  return (
    user?.status === 'ACTIVE' && user.permissions.includes(permission) && secondFactorState(ctx.config, user) !== 'DUE'
  );
}

/** Two accounts belong to one person if their addresses are equal once they are normalized (api/sql/folded_address.sql). */
export async function isSamePerson(ctx: Ctx, userId: string, otherId: string): Promise<boolean> {
  if (userId === otherId) return true;
  const [person, other] = [await store.findPerson(ctx, userId), await store.findPerson(ctx, otherId)];
  return typeof person === 'string' && person === other;
}

export { findPerson, findUser, listHolders, lockUser, markDeleted, updateRole, updateStatus } from './users.store.ts';
export {
  countUsers,
  findStaffUser,
  listOfPerson,
  listUsers,
  listUsersById,
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
