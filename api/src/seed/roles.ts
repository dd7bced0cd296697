import { seededRoles } from '@cellhop/contract/permissions';
import type { Ctx } from '../ctx.ts';
import { insertRole } from './seed.store.ts';

/** Inserts the default roles. Existing ones are not changed, because the operator may have edited them. */
export async function seedRoles(ctx: Ctx): Promise<void> {
  for (const [name, permissions] of Object.entries(seededRoles)) await insertRole(ctx, name, permissions);
}
