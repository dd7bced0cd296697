import type { Ctx } from '../../ctx.ts';

/**
 * Records a sign-in by device and network: the /24 of an IPv4 address, the /48 of an IPv6 address.
 * @returns whether the combination is new for a user who has signed in before
 */
export async function rememberDevice(
  ctx: Ctx,
  userId: string,
  device: string,
  address: string | null,
): Promise<boolean> {
  const [row] = await ctx.db.query<{ isUnfamiliar: boolean }>(
    `with seen as (
       insert into known_devices (user_id, device, network)
       values ($1, $2, network(set_masklen($3::inet, case family($3::inet) when 4 then 24 else 48 end)))
       on conflict (user_id, device, network) do update set seen_at = now()
       returning created_at = seen_at as is_new
     )
     -- Sees the rows from before this statement, without the new one.
     select is_new and exists (select from known_devices where user_id = $1) as "isUnfamiliar" from seen`,
    [userId, device, address ?? '0.0.0.0'],
  );
  return row!.isUnfamiliar;
}

export async function deleteDevices(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query('delete from known_devices where user_id = $1', [userId]);
}

/** Deletes devices unused for a year, except the newest of each user, which marks that the user has signed in before. */
export async function deleteOldDevices(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `with old as (
       select user_id, device, network from known_devices
        where seen_at < now() - interval '365 days'
          and exists (select from known_devices newer
                       where newer.user_id = known_devices.user_id and newer.seen_at > known_devices.seen_at)
        order by seen_at limit $1 for update skip locked
     ) delete from known_devices using old
        where known_devices.user_id = old.user_id and known_devices.device = old.device
          and known_devices.network = old.network
     returning old.user_id`,
    [limit],
  );
  return rows.length;
}
