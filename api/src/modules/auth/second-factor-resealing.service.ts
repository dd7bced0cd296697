/** Encrypts the secrets of two-factor sign-in again, with the newest key. */
import type { Ctx } from '../../ctx.ts';
import { deriveKey, deriveKeys } from '../../secrets/keys.ts';
import { resealRows, seal, type Position, type ResealedBatch } from '../../secrets/sealing.ts';
import { ENCRYPTION } from './second-factor.service.ts';
import * as store from './second-factor.store.ts';

export async function resealSecrets(ctx: Ctx, after: Position, limit: number): Promise<ResealedBatch> {
  const { secretKeys } = ctx.config;
  const key = deriveKey(secretKeys, ENCRYPTION);
  const rows = await store.listSealed(ctx, after, limit);
  return resealRows(deriveKeys(secretKeys, ENCRYPTION), after, rows, (opened) =>
    store.saveSealed(
      ctx,
      opened.map(({ id, before, secret }) => ({ id, before, encrypted: seal(key, id, secret) })),
    ),
  );
}

export function countSealedSecrets(ctx: Ctx, after: Position): Promise<number> {
  return store.countSealed(ctx, after);
}

/** Their users should renew them before the older keys are removed. */
export function countRecoveryCodesOfOlderKeys(ctx: Ctx, keyId: string): Promise<number> {
  return store.countRecoveryCodesOfOlderKeys(ctx, keyId);
}
