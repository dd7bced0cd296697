import type { ExitNames } from '@cellhop/contract/exits';
import type { Ctx } from '../../ctx.ts';

/** @returns where they were resolved; undefined if there is no such exit through another proxy */
export async function saveNames(ctx: Ctx, exitId: string, names: ExitNames): Promise<ExitNames | undefined> {
  const [row] = await ctx.db.query<{ before: ExitNames }>(
    `with known as (
       select id, coalesce(parameters ->> 'names', 'node') as before from exits where id = $1 and parameters ? 'host' for no key update
     )
     update exits set parameters = parameters || jsonb_build_object('names', $2::text) from known where exits.id = known.id returning before`,
    [exitId, names],
  );
  return row?.before;
}
