/** The profile of the signed-in user, composed from several modules. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Profile } from '@cellhop/contract/users';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { currentLevel } from '../referrals/bonus.service.ts';
import * as users from '../users/users.service.ts';
import { presentProfile } from './profile-presenter.ts';

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
