import { isPermission } from '@cellhop/contract/permissions';
import type { ReferralLevel } from '@cellhop/contract/referrals.values';
import { toDollars } from '@cellhop/contract/units';
import type { Profile } from '@cellhop/contract/users';
import type { User } from '../users/users.service.ts';

export function presentProfile(
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
