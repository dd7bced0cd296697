import { ADDRESS_DAYS } from '@cellhop/contract/limits';
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

/** A user who has signed in from a network of another one. */
export interface Neighbour {
  userId: string;
  isSameDevice: boolean;
}

/** Of the networks that the user used last, those who were there last. Unknown addresses are no network. */
export function listNeighbours(ctx: Ctx, userId: string, limit: number): Promise<Neighbour[]> {
  return ctx.db.query(
    `with own as (
       select network, array_agg(device) as devices from known_devices
        where user_id = $1 and network <> '0.0.0.0/24'
        group by network order by max(seen_at) desc limit 10
     )
     select near.user_id as "userId", bool_or(near.device = any(own.devices)) as "isSameDevice"
       from own cross join lateral (
         select user_id, device, seen_at from known_devices
          where known_devices.network = own.network and user_id <> $1
          order by seen_at desc limit $2
       ) as near
      group by near.user_id order by "isSameDevice" desc, max(near.seen_at) desc, near.user_id limit $2`,
    [userId, limit],
  );
}

export async function deleteDevices(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query('delete from known_devices where user_id = $1', [userId]);
}

/** Deletes devices unused for ADDRESS_DAYS, except the newest of each user, which marks that the user has signed in before. */
export async function deleteOldDevices(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `with old as (
       select user_id, device, network from known_devices
        where seen_at < now() - $2 * interval '1 day'
          and exists (select from known_devices newer
                       where newer.user_id = known_devices.user_id and newer.seen_at > known_devices.seen_at)
        order by seen_at limit $1 for update skip locked
     ) delete from known_devices using old
        where known_devices.user_id = old.user_id and known_devices.device = old.device
          and known_devices.network = old.network
     returning old.user_id`,
    [limit, ADDRESS_DAYS],
  );
  return rows.length;
}
