import type { Ctx } from '../../ctx.ts';

/** @returns false if the address of the connection cannot be changed */
export async function saveTimer(ctx: Ctx, connectionId: string, everyMinutes: number): Promise<boolean> {
  const rows = await ctx.db.query(
    `insert into connection_rotations as kept (connection_id, every_minutes, next_at)
     select id, $2::int, now() + $2::int * interval '1 minute' from readable_connections as connections
      where id = $1 and status = 'WORK'
        and exists (select from rotation_states as rotation where rotation.exit_id = connections.exit_id)
         on conflict (connection_id) do update set every_minutes = excluded.every_minutes, next_at = excluded.next_at
     returning 1`,
    [connectionId, everyMinutes],
  );
  return rows.length === 1;
}

export async function removeTimer(ctx: Ctx, connectionId: string): Promise<void> {
  await ctx.db.query('update connection_rotations set every_minutes = null, next_at = null where connection_id = $1', [
    connectionId,
  ]);
}

/** Each is due again after its interval. The timer of a connection that has ended stops. @returns open connections */
export async function takeDue(ctx: Ctx, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string; isOpen: boolean }>(
    `with due as (
       select timer.connection_id, status = 'WORK' as is_open from connection_rotations as timer
         join readable_connections as connections on connections.id = timer.connection_id
        where next_at <= now() order by next_at limit $1 for no key update of timer skip locked
     )
     update connection_rotations as timer
        set next_at = case when is_open then now() + every_minutes * interval '1 minute' end
       from due where due.connection_id = timer.connection_id
     returning timer.connection_id as id, is_open as "isOpen"`,
    [limit],
  );
  return rows.filter(({ isOpen }) => isOpen).map(({ id }) => id);
}
