import type { Permission } from '@cellhop/contract/permissions';
import type { Profile } from '@cellhop/contract/users';
import type { Config } from '../../config.ts';

interface Owner {
  permissions: readonly Permission[];
  hasSecondFactor: boolean;
}

/** Who may do more than a customer can be made to show more than a password (the setting REQUIRE_STAFF_2FA). */
export function needsSecondFactor(
  { requiresStaffSecondFactor }: Pick<Config, 'requiresStaffSecondFactor'>,
  permissions: readonly Permission[],
): boolean {
  return requiresStaffSecondFactor && permissions.length > 0;
}

/** DUE: needed and not switched on. Until it is, none of the role's permissions works. */
export function secondFactorState(
  config: Pick<Config, 'requiresStaffSecondFactor'>,
  { permissions, hasSecondFactor }: Owner,
): Profile['secondFactor'] {
  if (hasSecondFactor) return 'ON';
  return needsSecondFactor(config, permissions) ? 'DUE' : 'OFF';
}
