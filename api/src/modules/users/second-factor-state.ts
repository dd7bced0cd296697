import type { Permission } from '@cellhop/contract/permissions';
import type { Profile } from '@cellhop/contract/users';
import type { Config } from '../../process/config.ts';

interface Owner {
  permissions: readonly Permission[];
  hasSecondFactor: boolean;
}

/** The setting REQUIRE_STAFF_2FA requires a second factor for all roles with permissions. */
export function needsSecondFactor(
  { requiresStaffSecondFactor }: Pick<Config, 'requiresStaffSecondFactor'>,
  permissions: readonly Permission[],
): boolean {
  return requiresStaffSecondFactor && permissions.length > 0;
}

/** DUE: required but not enabled. Until then the user has no permissions. */
export function secondFactorState(
  config: Pick<Config, 'requiresStaffSecondFactor'>,
  { permissions, hasSecondFactor }: Owner,
): Profile['secondFactor'] {
  if (hasSecondFactor) return 'ON';
  return needsSecondFactor(config, permissions) ? 'DUE' : 'OFF';
}
