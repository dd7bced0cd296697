import { seededRoles } from '@cellhop/contract/permissions';
import type { Ctx } from '../ctx.ts';
import { insertRole } from './seed.store.ts';

/** The roles every installation starts with; ones that exist are left as the operator made them. */
export async function seedRoles(ctx: Ctx): Promise<void> {
  for (const [name, permissions] of Object.entries(seededRoles)) await insertRole(ctx, name, permissions);
}
