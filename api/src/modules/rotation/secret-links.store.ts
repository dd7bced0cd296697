import type { Ctx } from '../../ctx.ts';

/** With a new time, because a key rotation that runs may have passed the old one. */
export async function saveSecret(ctx: Ctx, connectionId: string, hash: Buffer, encrypted: Buffer): Promise<void> {
  await ctx.db.query(
    `insert into connection_rotations (connection_id, secret_hash, secret_encrypted) values ($1, $2, $3)
         on conflict (connection_id) do update
            set secret_hash = excluded.secret_hash, secret_encrypted = excluded.secret_encrypted, created_at = now()`,
    [connectionId, hash, encrypted],
  );
}

/** @returns an open connection */
export async function findBySecret(ctx: Ctx, hash: Buffer): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `select connections.id from connection_rotations join readable_connections as connections on connections.id = connection_id
      where secret_hash = $1 and status = 'WORK'`,
    [hash],
  );
  return row?.id;
}
