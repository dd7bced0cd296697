/** Encrypts and hashes the credentials of upstream proxies again, with the newest key. */
import type { Ctx } from '../../ctx.ts';
import { credentialsKeys, resealCredentials } from '../../secrets/exit-credentials.ts';
import { type Position, type ResealedBatch, resealRows } from '../../secrets/sealing.ts';
import * as store from './exit-resealing.store.ts';

export async function resealExits(ctx: Ctx, after: Position, limit: number): Promise<ResealedBatch> {
  const { secretKeys } = ctx.config;
  const rows = await store.listSealed(ctx, after, limit);
  const owners = new Map(rows.map(({ id, owner }) => [id, owner]));
  return resealRows(credentialsKeys(secretKeys), after, rows, (opened) =>
    store.saveSealed(
      ctx,
      opened.map(({ id, before, secret }) => ({
        id,
        before,
        ...resealCredentials(secretKeys, owners.get(id) ?? '', secret),
      })),
    ),
  );
}

export function countSealedExits(ctx: Ctx, after: Position): Promise<number> {
  return store.countSealed(ctx, after);
}
