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
  referralCode: string;
  isEmailConfirmed: boolean;
  roleName: string;
  permissions: Permission[];
  hasSecondFactor: boolean;
}

export async function findUser(ctx: Ctx, id: string): Promise<UserRow | undefined> {
  const [row] = await ctx.db.query<UserRow>(
    `select users.id, users.email, users.account_id as "accountId", users.language_code as "languageCode",
            users.status, users.referral_code as "referralCode",
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
  status: UserStatus;
  accountId: bigint;
}

export async function lockUser(ctx: Ctx, id: string): Promise<LockedUser | undefined> {
  const [row] = await ctx.db.query<LockedUser>(
    'select status, account_id as "accountId" from users where id = $1 for no key update',
    [id],
  );
  return row;
}

export async function updateStatus(ctx: Ctx, id: string, status: UserStatus): Promise<void> {
  await ctx.db.query('update users set status = $2, updated_at = now() where id = $1', [id, status]);
}

export async function lockAdministrators(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select users.id from users join roles on roles.name = users.role_name
      where users.status = 'ACTIVE' and 'USERS_EDIT' = any(roles.permissions)
      order by users.id for no key update of users`,
  );
  return rows.map((row) => row.id);
}
