/** Re-authentication: users enter their password again before they change credentials. */
import { AppError } from '@cellhop/contract/errors';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { recordOwn } from '../audit-log/audit-log.service.ts';
import { countFailure, throwIfThrottled, type Attempt } from './attempts.ts';
import * as store from './auth.store.ts';
import { knownUser, verifyPassword } from './passwords.ts';

export function reauthenticationAttempt({ userId }: Pick<Actor, 'userId'>, { ip }: Requester): Attempt {
  return { kind: 'proof', account: userId, ip };
}

/**
 * Does not reset the failures, because a code may have to be checked as well.
 * @returns the hash that the password was compared with
 * @throws AppError WRONG_PASSWORD, RATE_LIMITED
 */
export async function verifyCurrentPassword(
  ctx: Ctx,
  actor: Actor,
  password: string,
  requester: Requester,
): Promise<string> {
  const attempt = reauthenticationAttempt(actor, requester);
  await throwIfThrottled(ctx, attempt);
  const passwordHash = await store.findPasswordHash(ctx, actor.userId);
  const isRight = await verifyPassword(passwordHash, password, knownUser(actor.userId));
  await throwIfThrottled(ctx, attempt);
  if (isRight && passwordHash !== undefined) return passwordHash;
  const isLast = await countFailure(ctx, attempt);
  await recordOwn(ctx, 'PROOF_FAILED', actor.userId, requester, { reason: 'WRONG_PASSWORD' });
  if (isLast) await recordOwn(ctx, 'PROOF_THROTTLED', actor.userId, requester);
  throw new AppError('WRONG_PASSWORD');
}
