/** Lists and shows users to staff. Read-only. */
import { AppError } from '@cellhop/contract/errors';
import type { ReferralLevel } from '@cellhop/contract/referrals.values';
import type { ListedUser, StaffUser, UsersQuery } from '@cellhop/contract/staff/users';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import { readListed, toOffset } from '../../http/paging.ts';
import type { Requester } from '../../http/requester.ts';
import { exportList } from '../audit-log/export.service.ts';
import { findDueTime } from '../auth/second-factor-reset.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { currentLevels } from '../referrals/levels.service.ts';
import * as users from '../users/users.service.ts';
import type { ListedUserRow, StaffUserRow } from '../users/users.service.ts';

type UsersFilter = Omit<UsersQuery, 'page' | 'size' | 'sort'>;

export async function listUsers(ctx: Ctx, query: UsersQuery) {
  const filter = toFilter(query);
  const page = { sort: query.sort, limit: query.size, offset: toOffset(query) };
  const { rows, ...pages } = await readListed(query, {
    list: () => users.listUsers(ctx, filter, page),
    count: (limit) => users.countUsers(ctx, filter, limit),
  });
  return { data: await presentAll(ctx, rows), ...pages };
}

/** As a file. @throws AppError VALIDATION */
export function exportUsers(ctx: Ctx, by: { actor: Actor; requester: Requester }, query: UsersFilter) {
  const filter = toFilter(query);
  return exportList<ListedUser>(ctx, by, {
    action: 'USERS_EXPORTED',
    subjectType: 'USER',
    fileName: 'users.csv',
    filter: query,
    count: (limit) => users.countUsers(ctx, filter, limit),
    list: async (afterId, limit) =>
      presentAll(ctx, await users.listUsers(ctx, { ...filter, afterId }, { sort: '-createdAt', limit, offset: 0 })),
    columns: {
      id: ({ id }) => id,
      email: ({ email }) => email,
      isConfirmedEmail: ({ isConfirmedEmail }) => isConfirmedEmail,
      status: ({ status }) => status,
      balance: ({ balance }) => balance,
      referralLevel: ({ referralLevel }) => referralLevel,
      role: ({ role }) => role.name,
      languageCode: ({ languageCode }) => languageCode,
      referralCode: ({ referralCode }) => referralCode,
      createdAt: ({ createdAt }) => createdAt,
    },
  });
}

/** Rows as staff see them in lists. */
export async function presentAll(ctx: Ctx, rows: readonly ListedUserRow[]): Promise<ListedUser[]> {
  const figures = await findFigures(ctx, rows);
  return rows.map((row) => presentListed(row, figures(row)));
}

/** @returns the user with this id, if there is one */
export async function findUsers(ctx: Ctx, id: string): Promise<StaffUser[]> {
  const row = await users.findStaffUser(ctx, id);
  if (!row) return [];
  const figures = await findFigures(ctx, [row]);
  return [presentUser(row, figures(row), await findDueTime(ctx, id))];
}

/** @throws AppError NOT_FOUND */
export async function getUser(ctx: Ctx, id: string): Promise<StaffUser> {
  const [user] = await findUsers(ctx, id);
  if (!user) throw new AppError('NOT_FOUND', { thing: 'User' });
  return user;
}

function toFilter(query: UsersFilter): users.UserFilter {
  return {
    referrerId: query.referralId ?? null,
    email: query.email?.toLowerCase() ?? null,
    status: query.status ?? null,
    roleName: query.role ?? null,
    isConfirmed: query.isConfirmed === undefined ? null : query.isConfirmed === 'true',
    createdFrom: query.createdFrom ?? null,
    createdTo: query.createdTo ?? null,
  };
}

/** One query for all balances, one for all levels. */
async function findFigures(
  ctx: Ctx,
  rows: readonly users.ListedUserRow[],
): Promise<(row: users.ListedUserRow) => UserFigures> {
  const [balances, levels] = await Promise.all([
    ledger.readBalances(
      ctx,
      rows.map((row) => row.accountId),
    ),
    currentLevels(
      ctx,
      rows.map((row) => row.id),
    ),
  ]);
  return ({ id, accountId }) => ({
    balanceMicros: balances.get(accountId)?.balanceMicros ?? 0n,
    referralLevel: levels.get(id) ?? 'BASIC',
  });
}

/** Data of other modules about a user. */
interface UserFigures {
  balanceMicros: bigint;
  referralLevel: ReferralLevel;
}

function presentListed(user: ListedUserRow, { balanceMicros, referralLevel }: UserFigures): ListedUser {
  return {
    id: user.id,
    email: user.email,
    isConfirmedEmail: user.isEmailConfirmed,
    status: user.status,
    balance: toDollars(balanceMicros),
    referralLevel,
    role: { name: user.roleName },
    languageCode: user.languageCode,
    referralCode: user.referralCode,
    createdAt: user.createdAt.toISOString(),
  };
}

function presentUser(user: StaffUserRow, figures: UserFigures, secondFactorResetAt: Date | undefined): StaffUser {
  const { referrerId, referrerEmail } = user;
  return {
    ...presentListed(user, figures),
    deletedAt: user.deletedAt?.toISOString() ?? null,
    referral: referrerId === null || referrerEmail === null ? null : { id: referrerId, email: referrerEmail },
    promoCode: user.promoCode,
    hasSecondFactor: user.hasSecondFactor,
    secondFactorResetAt: secondFactorResetAt?.toISOString() ?? null,
    version: user.version,
  };
}
