import type { Ctx } from '../../ctx.ts';

/**
 * Neighbours are one place: the /24 of an IPv4 address, the /48 of an IPv6 one.
 * @returns whether the user has signed in before, but never with this device in this network
 */
export async function rememberDevice(
  ctx: Ctx,
  userId: string,
  device: string,
  address: string | null,
): Promise<boolean> {
  const [row] = await ctx.db.query<{ isSurprising: boolean }>(
    `with seen as (
       insert into known_devices (user_id, device, network)
       values ($1, $2, network(set_masklen($3::inet, case family($3::inet) when 4 then 24 else 48 end)))
       on conflict (user_id, device, network) do update set seen_at = now()
       returning created_at = seen_at as is_new
     )
     -- The rows of before this statement: the new one is not among them.
     select is_new and exists (select from known_devices where user_id = $1) as "isSurprising" from seen`,
    [userId, device, address ?? '0.0.0.0'],
  );
  return row!.isSurprising;
}

/** Unused for a year, but for the newest of each user: who has signed in once is never a newcomer again. */
export async function forgetOldDevices(ctx: Ctx, limit: number): Promise<number> {
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
