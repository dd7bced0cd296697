/** The profile of the signed-in user, composed from several modules. */
import type { Company } from '@cellhop/contract/company';
import { isPermission } from '@cellhop/contract/permissions';
import type { ReferralLevel } from '@cellhop/contract/referrals.values';
import type { LanguageCode } from '@cellhop/contract/schemas';
import { toDollars } from '@cellhop/contract/units';
import type { Profile } from '@cellhop/contract/users';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { currentLevel } from '../referrals/levels.service.ts';
import * as users from '../users/users.service.ts';
import type { User } from '../users/users.service.ts';
import * as store from './profile.store.ts';

export async function getProfile(ctx: Ctx, userId: string): Promise<Profile> {
  const user = await users.findUser(ctx, userId);
  if (!user) throw new Error(`user ${userId} does not exist any more`);
  const [{ balanceMicros }, level] = await Promise.all([
    ledger.readBalance(ctx, user.accountId),
    currentLevel(ctx, userId),
  ]);
  return presentProfile(user, balanceMicros, level, users.secondFactorState(ctx.config, user));
}

export async function changeLanguage(ctx: Ctx, userId: string, languageCode: LanguageCode): Promise<Profile> {
  await users.changeLanguage(ctx, userId, languageCode);
  return getProfile(ctx, userId);
}

/** Empty texts if the customer has given none. */
export async function getCompany(ctx: Ctx, { userId }: Actor): Promise<Company> {
  return (await store.findCompany(ctx, userId)) ?? { name: '', address: '', taxId: '' };
}

export async function saveCompany(ctx: Ctx, { userId }: Actor, company: Company): Promise<Company> {
  const isEmpty = Object.values(company).every((text) => text === '');
  await (isEmpty ? store.deleteCompany(ctx, userId) : store.saveCompany(ctx, userId, company));
  return company;
}

/** Call it in the transaction that deletes the account. */
export function removeCompany(ctx: Ctx, userId: string): Promise<void> {
  return store.deleteCompany(ctx, userId);
}

function presentProfile(
  user: User,
  balanceMicros: bigint,
  referralLevel: ReferralLevel,
  secondFactor: Profile['secondFactor'],
): Profile {
  const { id, email, languageCode, referralCode, roleName } = user;
  // A newer release may have stored permissions that this one does not know.
  const permissions = user.permissions.filter(isPermission);
  return {
    id,
    email,
    balance: toDollars(balanceMicros),
    referralLevel,
    languageCode,
    referralCode,
    secondFactor,
    // The effective permissions, so that the menu shows nothing that would be refused.
    role: { name: roleName, permissions: secondFactor === 'DUE' ? [] : permissions },
  };
}
