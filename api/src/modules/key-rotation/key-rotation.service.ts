/**
 * Key rotation: encrypts stored secrets with the newest key while SECRET_KEY has older ones. When it is done, the older keys can be
 * removed from the setting. It works in batches and saves its progress.
 */
import type { Ctx } from '../../ctx.ts';
import { newestKeyId } from '../../secrets/keys.ts';
import { countRecoveryCodesOfOlderKeys, countSealedSecrets, resealSecrets } from '../auth/second-factor.service.ts';
import { countSealedPasswords, resealPasswords } from '../connections/logins.service.ts';
import { countSealedExits, resealExits } from '../gateway/exit-resealing.service.ts';
import { recordKey } from '../installation/installation.service.ts';
import { countSealedLinks, resealLinks } from '../rotation/rotation.service.ts';
import {
  countSealedSecrets as countSealedRotationSecrets,
  resealSecrets as resealRotationSecrets,
} from '../rotation/secret-links.service.ts';
import * as store from './key-rotation.store.ts';
import type { Position, ResealedBatch } from '../../secrets/sealing.ts';

interface Kind {
  name: string;
  reseal(ctx: Ctx, after: Position, limit: number): Promise<ResealedBatch>;
  countAfter(ctx: Ctx, after: Position): Promise<number>;
}

const kinds: readonly Kind[] = [
  { name: 'proxy-passwords', reseal: resealPasswords, countAfter: countSealedPasswords },
  { name: 'second-factors', reseal: resealSecrets, countAfter: countSealedSecrets },
  { name: 'exit-credentials', reseal: resealExits, countAfter: countSealedExits },
  { name: 'rotation-links', reseal: resealLinks, countAfter: countSealedLinks },
  { name: 'rotation-secrets', reseal: resealRotationSecrets, countAfter: countSealedRotationSecrets },
];
/** Hashed rather than encrypted, so they can only be counted. */
const RECOVERY_CODES = 'recovery-codes';

const BATCH = 500;
/** Per run of the periodic task. */
const TIME_BUDGET_MS = 5000;

/** Safe to run in several workers at once: a row lock lets only one of them work. */
export async function reseal(ctx: Ctx): Promise<void> {
  const { secretKeys } = ctx.config;
  if (secretKeys.length === 1) return;
  const keyId = newestKeyId(secretKeys);
  const deadline = performance.now() + TIME_BUDGET_MS;
  for (const kind of kinds) while (performance.now() < deadline && (await resealBatch(ctx, kind, keyId)));
  await store.saveCount(ctx, RECOVERY_CODES, keyId, await countRecoveryCodesOfOlderKeys(ctx, keyId));
  // Before, a start without the older keys could not read all secrets.
  if ((await readKeyFigures(ctx)).secretsToReseal === 0) await recordKey(ctx);
}

const START: Position = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** What the key of the database encrypts. */
export async function countSecrets(ctx: Ctx) {
  const [passwords, secondFactors, exits] = await Promise.all(kinds.map((kind) => kind.countAfter(ctx, START)));
  // Codes of any key.
  return { passwords, secondFactors, exits, recoveryCodes: await countRecoveryCodesOfOlderKeys(ctx, '') };
}

/** @returns whether there is more to do now */
function resealBatch(ctx: Ctx, kind: Kind, keyId: string): Promise<boolean> {
  return ctx.tx(async (ctx) => {
    await store.ensureProgress(ctx, kind.name, keyId);
    const progress = await store.lockProgress(ctx, kind.name, keyId);
    if (!progress) return false;
    const before = progress.remainingCount ?? (await kind.countAfter(ctx, progress.position));
    const batch = await kind.reseal(ctx, progress.position, BATCH);
    const isEnd = batch.listedCount < BATCH && batch.doneCount === batch.listedCount;
    const remainingCount = isEnd ? 0 : Math.max(1, before - batch.doneCount);
    await store.saveProgress(ctx, kind.name, { ...batch, remainingCount });
    if (isEnd && progress.remainingCount !== 0)
      ctx.log.info(
        { kind: kind.name, unreadable: batch.unreadableCount },
        'all secrets of this kind are encrypted with the newest key',
      );
    return !isEnd && batch.doneCount > 0;
  });
}

export interface KeyFigures {
  secretsToReseal: number | undefined;
  unreadableSecrets: number | undefined;
  recoveryCodesOfOlderKeys: number | undefined;
}

/** Undefined while the setting has one key, and before the worker has counted. */
export async function readKeyFigures(ctx: Ctx): Promise<KeyFigures> {
  const { secretKeys } = ctx.config;
  const rows = secretKeys.length === 1 ? [] : await store.listProgress(ctx, newestKeyId(secretKeys));
  const sealed = rows.filter(({ kind }) => kind !== RECOVERY_CODES);
  const isKnown = sealed.length === kinds.length && sealed.every((row) => row.remainingCount !== null);
  return {
    secretsToReseal: isKnown ? sealed.reduce((sum, row) => sum + (row.remainingCount ?? 0), 0) : undefined,
    unreadableSecrets: isKnown ? sealed.reduce((sum, row) => sum + row.unreadableCount, 0) : undefined,
    recoveryCodesOfOlderKeys: rows.find(({ kind }) => kind === RECOVERY_CODES)?.remainingCount ?? undefined,
  };
}
