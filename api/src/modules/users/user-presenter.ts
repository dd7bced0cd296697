import type { ReferralLevel } from '@cellhop/contract/referrals';
import { toDollars } from '@cellhop/contract/units';
import type { Profile } from '@cellhop/contract/users';
import type { UserRow } from './users.store.ts';

export function presentProfile(user: UserRow, balanceMicros: bigint, referralLevel: ReferralLevel): Profile {
  const { id, email, languageCode, referralCode, roleName, permissions } = user;
  return {
    id,
    email,
    balance: toDollars(balanceMicros),
    referralLevel,
    languageCode,
    referralCode,
    role: { name: roleName, permissions },
  };
}
