import { fixedRoles, permissions, seededRoles } from '@cellhop/contract/permissions';
import type { Ctx } from '../ctx.ts';
import { hasRoles, insertRole, updatePermissions } from './seed.store.ts';

/**
 * Inserts the default roles at the first start. Later, staff may have changed or deleted them, so only USER and ADMIN are inserted
 * if they are missing, and ADMIN gets the permissions that this release adds.
 */
export async function seedRoles(ctx: Ctx): Promise<void> {
  const isFirstStart = !(await hasRoles(ctx));
  for (const [name, permissions] of Object.entries(seededRoles))
    if (isFirstStart || fixedRoles.some((fixed) => fixed === name)) await insertRole(ctx, name, permissions);
  await updatePermissions(ctx, 'ADMIN', permissions);
}
