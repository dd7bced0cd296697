/** Encrypts and hashes the passwords of connections again, with the newest key. */
import type { Ctx } from '../../ctx.ts';
import { resealRows, type Position, type ResealedBatch } from '../../secrets/sealing.ts';
import { encryptionKeys, encryptPassword, hashPassword } from './credentials.ts';
import * as store from './resealing.store.ts';

export async function resealPasswords(ctx: Ctx, after: Position, limit: number): Promise<ResealedBatch> {
  const { secretKeys } = ctx.config;
  const rows = await store.listSealed(ctx, after, limit);
  return resealRows(encryptionKeys(secretKeys), after, rows, (opened) =>
    store.saveSealed(
      ctx,
      opened.map(({ id, before, secret }) => ({
        id,
        before,
        encrypted: encryptPassword(secretKeys, id, secret),
        hash: hashPassword(secretKeys, secret),
      })),
    ),
  );
}

export function countSealedPasswords(ctx: Ctx, after: Position): Promise<number> {
  return store.countSealed(ctx, after);
}
