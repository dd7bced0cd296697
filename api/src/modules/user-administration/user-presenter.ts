import type { ReferralLevel } from '@cellhop/contract/referrals.values';
import type { ListedUser, StaffUser } from '@cellhop/contract/staff/users';
import { toDollars } from '@cellhop/contract/units';
import type { ListedUserRow, StaffUserRow } from '../users/users.service.ts';

/** Data of other modules about a user. */
export interface UserFigures {
  balanceMicros: bigint;
  referralLevel: ReferralLevel;
}

export function presentListed(user: ListedUserRow, { balanceMicros, referralLevel }: UserFigures): ListedUser {
  return {
    id: user.id,
    email: user.email,
    isConfirmedEmail: user.isEmailConfirmed,
    status: user.status,
    balance: toDollars(balanceMicros),
    referralLevel,
    role: { name: user.roleName },
    createdAt: user.createdAt.toISOString(),
  };
}

export function presentUser(user: StaffUserRow, figures: UserFigures): StaffUser {
  const { referrerId, referrerEmail } = user;
  return {
    ...presentListed(user, figures),
    languageCode: user.languageCode,
    referralCode: user.referralCode,
    deletedAt: user.deletedAt?.toISOString() ?? null,
    referral: referrerId === null || referrerEmail === null ? null : { id: referrerId, email: referrerEmail },
    promoCode: user.promoCode,
    hasSecondFactor: user.hasSecondFactor,
    version: user.version,
  };
}
