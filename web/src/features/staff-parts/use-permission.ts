import type { Permission } from '@cellhop/contract/permissions';
import { useProfile } from '../../session/profile.ts';

/** Whether the signed-in member of staff has a permission. The API enforces it; screens only hide what would be refused. */
export function usePermission(permission: Permission): boolean {
  return useProfile()?.role.permissions.includes(permission) === true;
}

/** Whether a role may open a screen that needs a permission, or one of several. Undefined: all staff may. */
export function mayOpen(needed: Permission | readonly Permission[] | undefined, held: readonly Permission[]): boolean {
  return needed === undefined || [needed].flat().some((permission) => held.includes(permission));
}
