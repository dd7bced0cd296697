import type { Ctx } from '../../ctx.ts';

export async function hasProxyWithoutExit(ctx: Ctx): Promise<boolean> {
  return (await ctx.db.query('select from proxies where exit_id is null limit 1')).length > 0;
}

/** @returns the last proxy of the batch; null after the last one (api/sql/assign_exits.sql) */
export async function assignExits(ctx: Ctx, afterId: string, proxiesMax: number): Promise<string | null> {
  const [row] = await ctx.db.query<{ lastId: string | null }>('select last_id as "lastId" from assign_exits($1, $2)', [
    afterId,
    proxiesMax,
  ]);
  return row!.lastId;
}
