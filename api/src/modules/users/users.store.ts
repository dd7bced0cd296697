import type { Permission } from '@cellhop/contract/permissions';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { UserStatus } from '@cellhop/contract/users';
import type { Ctx } from '../../ctx.ts';

export interface NewUser {
  /** Lower case. */
  email: string;
  passwordHash: string;
  languageCode: LanguageCode;
  roleName: string;
  referralCode: string;
  referrerId: string | null;
  promoCodeId: string | null;
  accountId: bigint;
  isEmailConfirmed: boolean;
}

/** @returns undefined if the email is taken, also by a concurrent sign-up */
export async function insertUser(ctx: Ctx, user: NewUser): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into users (email, password_hash, language_code, role_name, referral_code, referrer_id, promo_code_id,
                        account_id, email_confirmed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, case when $9::boolean then now() end)
     on conflict (email) do nothing returning id`,
    [
      user.email,
      user.passwordHash,
      user.languageCode,
      user.roleName,
      user.referralCode,
      user.referrerId,
      user.promoCodeId,
      user.accountId,
      user.isEmailConfirmed,
    ],
  );
  return row?.id;
}

export interface UserRow {
  id: string;
  email: string;
  accountId: bigint;
  languageCode: LanguageCode;
  status: UserStatus;
  version: number;
  referralCode: string;
  isEmailConfirmed: boolean;
  roleName: string;
  permissions: Permission[];
  hasSecondFactor: boolean;
}

export async function findUser(ctx: Ctx, id: string): Promise<UserRow | undefined> {
  const [row] = await ctx.db.query<UserRow>(
    `select users.id, users.email, users.account_id as "accountId", users.language_code as "languageCode",
            users.status, users.version, users.referral_code as "referralCode",
            users.email_confirmed_at is not null as "isEmailConfirmed",
            users.second_factor_at is not null as "hasSecondFactor", roles.name as "roleName", roles.permissions
       from users join roles on roles.name = users.role_name where users.id = $1`,
    [id],
  );
  return row;
}

export async function updateLanguage(ctx: Ctx, id: string, languageCode: LanguageCode): Promise<void> {
  await ctx.db.query('update users set language_code = $2, updated_at = now() where id = $1', [id, languageCode]);
}

export interface LockedUser {
  email: string;
  status: UserStatus;
  version: number;
  accountId: bigint;
  roleName: string;
}

/** Locks the user until the end of the transaction, which serializes changes of their status. */
export async function lockUser(ctx: Ctx, id: string): Promise<LockedUser | undefined> {
  const [row] = await ctx.db.query<LockedUser>(
    `select email, status, version, account_id as "accountId", role_name as "roleName"
       from users where id = $1 for no key update`,
    [id],
  );
  return row;
}

export async function updateStatus(ctx: Ctx, id: string, status: UserStatus): Promise<void> {
  await ctx.db.query('update users set status = $2, version = version + 1, updated_at = now() where id = $1', [
    id,
    status,
  ]);
}

export async function updateRole(ctx: Ctx, id: string, roleName: string): Promise<void> {
  await ctx.db.query('update users set role_name = $2, version = version + 1, updated_at = now() where id = $1', [
    id,
    roleName,
  ]);
}

/**
 * The user keeps no permissions, so that the role that they had can be deleted.
 * @param email replaces theirs, so that they can sign up again with it
 */
export async function markDeleted(ctx: Ctx, id: string, email: string): Promise<void> {
  await ctx.db.query(
    `update users set status = 'DELETED', role_name = 'USER', email = $2, person = person_of(email), deleted_at = now(), version = version + 1,
                      updated_at = now()
      where id = $1`,
    [id, email],
  );
}

export interface Administrator {
  id: string;
  roleName: string;
}

/** The active users who may block others. */
export function listAdministrators(ctx: Ctx): Promise<Administrator[]> {
  return ctx.db.query(
    `select users.id, users.role_name as "roleName" from users join roles on roles.name = users.role_name
      where users.status = 'ACTIVE' and 'USERS_EDIT' = any(roles.permissions)`,
  );
}

export interface Holder {
  id: string;
  email: string;
  languageCode: LanguageCode;
  person: string | null;
}

/** Active users of roles with the permission, by email. The role of customers has none, and an index finds the others. */
export function listHolders(ctx: Ctx, permission: Permission, limit: number): Promise<Holder[]> {
  return ctx.db.query(
    `select id, email, language_code as "languageCode", encode(person_of(email), 'hex') as person from users
      where role_name <> 'USER' and role_name in (select name from roles where $1 = any(permissions)) and status = 'ACTIVE'
      order by email limit $2`,
    [permission, limit],
  );
}

/** @returns undefined without such a user; null for a user whom an older release deleted, with their address */
export async function findPerson(ctx: Ctx, id: string): Promise<string | null | undefined> {
  const [row] = await ctx.db.query<{ person: string | null }>(
    "select encode(coalesce(person, person_of(email)), 'hex') as person from users where id = $1",
    [id],
  );
  return row?.person;
}
