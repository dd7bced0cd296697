/** Users as staff see them. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { UserSort } from '@cellhop/contract/staff/users';
import type { UserStatus } from '@cellhop/contract/users';
import type { Ctx } from '../../ctx.ts';

export interface UserFilter {
  referrerId: string | null;
  /** Part of the email, in lower case. */
  email: string | null;
  status: UserStatus | null;
  roleName: string | null;
  isConfirmed: boolean | null;
  /** Inclusive. */
  createdFrom: string | null;
  /** Exclusive. */
  createdTo: string | null;
  /** Those after this user in the default order. */
  afterId?: string | null;
}

export interface ListedUserRow {
  id: string;
  email: string;
  accountId: bigint;
  isEmailConfirmed: boolean;
  status: UserStatus;
  roleName: string;
  languageCode: LanguageCode;
  referralCode: string;
  createdAt: Date;
}

const COLUMNS = `
  users.id, users.email, users.account_id as "accountId", users.email_confirmed_at is not null as "isEmailConfirmed",
  users.status, users.role_name as "roleName", users.language_code as "languageCode",
  users.referral_code as "referralCode", users.created_at as "createdAt"`;

/** Each condition has an index, except those that match nearly all users. */
const MATCHES = `
  ($1::uuid is null or referrer_id = $1)
  and ($2::text is null or email like $2)
  and ($3::text is null or status = $3)
  and ($4::text is null or role_name = $4)
  and ($5::boolean is distinct from true or email_confirmed_at is not null)
  and ($5::boolean is distinct from false or email_confirmed_at is null)
  and ($6::timestamptz is null or created_at >= $6)
  and ($7::timestamptz is null or created_at < $7)
  and ($8::uuid is null or created_at <= (select created_at from users where id = $8)
       and (created_at < (select created_at from users where id = $8) or id > $8))`;

const ORDERS: Record<UserSort, string> = {
  '-createdAt': 'created_at desc, id',
  createdAt: 'created_at, id desc',
  email: 'email',
  '-email': 'email desc',
};

/** Not prepared: which index is best depends on the filters. */
const PLANNED_FOR_VALUES = { isPrepared: false };

/** Finds the ids first, by an index-only scan if the index has all columns of the filters. */
export function listUsers(
  ctx: Ctx,
  filter: UserFilter,
  { sort, limit, offset }: { sort: UserSort; limit: number; offset: number },
): Promise<ListedUserRow[]> {
  return ctx.db.query(
    `select ${COLUMNS}
       from (select id from users where ${MATCHES} order by ${ORDERS[sort]} limit $9 offset $10) as page
       join users using (id)
      order by ${ORDERS[sort].replaceAll(/created_at|email|\bid\b/g, 'users.$&')}`,
    [...toValues(filter), limit, offset],
    PLANNED_FOR_VALUES,
  );
}

/** Counts at most `limit` users. */
export async function countUsers(ctx: Ctx, filter: UserFilter, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select from users where ${MATCHES} limit $9) as listed`,
    [...toValues(filter), limit],
    PLANNED_FOR_VALUES,
  );
  return row!.count;
}

function toValues(filter: UserFilter): unknown[] {
  return [
    filter.referrerId,
    filter.email === null ? null : `%${filter.email.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
    filter.status,
    filter.roleName,
    filter.isConfirmed,
    filter.createdFrom,
    filter.createdTo,
    filter.afterId ?? null,
  ];
}

export interface StaffUserRow extends ListedUserRow {
  deletedAt: Date | null;
  referrerId: string | null;
  referrerEmail: string | null;
  promoCode: string | null;
  hasSecondFactor: boolean;
  version: number;
}

export async function findStaffUser(ctx: Ctx, id: string): Promise<StaffUserRow | undefined> {
  const [row] = await ctx.db.query<StaffUserRow>(
    `select ${COLUMNS}, users.deleted_at as "deletedAt", referrer.id as "referrerId", referrer.email as "referrerEmail",
            promo_codes.code as "promoCode", users.second_factor_at is not null as "hasSecondFactor", users.version
       from users
       left join users as referrer on referrer.id = users.referrer_id
       left join readable_promo_codes as promo_codes on promo_codes.id = users.promo_code_id
      where users.id = $1`,
    [id],
  );
  return row;
}

/**
 * The other accounts of a person, newest first. Equal normalized addresses have the same name without dots, which an index has; no index
 * may call `folded_address`.
 */
export function listOfPerson(ctx: Ctx, { id, email }: Pick<ListedUserRow, 'id' | 'email'>, limit: number) {
  return ctx.db.query<ListedUserRow>(
    `select ${COLUMNS} from users
      where translate(substring(email from '^([^+@]*)'), '.-_', '') = translate(substring($2::text from '^([^+@]*)'), '.-_', '')
        and folded_address(email) = folded_address($2) and id <> $1 and status <> 'DELETED'
      order by created_at desc, id limit $3`,
    [id, email, limit],
  );
}

export function listUsersById(ctx: Ctx, ids: readonly string[]): Promise<ListedUserRow[]> {
  return ctx.db.query(`select ${COLUMNS} from users where id = any($1)`, [ids]);
}
