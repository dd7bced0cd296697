import type { Ctx } from '../../ctx.ts';
import type { AddressSpace } from '../../payments/currencies.ts';

/** The user's address in a space where all of their invoices share one. */
export async function findReusedAddress(ctx: Ctx, userId: string, space: AddressSpace): Promise<bigint | undefined> {
  const [row] = await ctx.db.query<{ id: bigint }>(
    'select id from deposit_addresses where user_id = $1 and address_space = $2 and is_reused',
    [userId, space],
  );
  return row?.id;
}

/** @returns an index that is never used twice */
export async function nextAddressIndex(ctx: Ctx): Promise<bigint> {
  const [row] = await ctx.db.query<{ id: bigint }>(
    `select nextval(pg_get_serial_sequence('deposit_addresses', 'id')) as id`,
  );
  return row!.id;
}

export async function insertAddress(
  ctx: Ctx,
  address: { id: bigint; space: AddressSpace; address: string; userId: string; isReused: boolean },
): Promise<void> {
  await ctx.db.query(
    `insert into deposit_addresses (id, address_space, address, user_id, is_reused)
     overriding system value values ($1, $2, $3, $4, $5)`,
    [address.id, address.space, address.address, address.userId, address.isReused],
  );
}
