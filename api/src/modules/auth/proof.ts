/** Who holds a session shows that he is also the owner of the account, before he changes how people get into it. */
import { AppError } from '@cellhop/contract/errors';
import type { Actor } from '../../actor.ts';
import type { Client } from '../../client.ts';
import type { Ctx } from '../../ctx.ts';
import { recordOwn } from '../audit-log/audit-log.service.ts';
import { countFailure, refuseGuessing, type Guess } from './attempts.ts';
import * as store from './auth.store.ts';
import { known, verifyPassword } from './passwords.ts';

export function proofOf({ userId }: Pick<Actor, 'userId'>, { ip }: Client): Guess {
  return { door: 'proof', account: userId, ip };
}

/**
 * The failures are not forgotten here: a code may have to be right as well.
 * @returns the hash that the password was compared with
 * @throws AppError WRONG_PASSWORD, RATE_LIMITED
 */
export async function provePassword(ctx: Ctx, actor: Actor, password: string, client: Client): Promise<string> {
  const guess = proofOf(actor, client);
  await refuseGuessing(ctx, guess);
  const passwordHash = await store.findPasswordHash(ctx, actor.userId);
  const isRight = await verifyPassword(passwordHash, password, known(actor.userId));
  await refuseGuessing(ctx, guess);
  if (isRight && passwordHash !== undefined) return passwordHash;
  const isLast = await countFailure(ctx, guess);
  await recordOwn(ctx, 'PROOF_FAILED', actor.userId, client, { reason: 'WRONG_PASSWORD' });
  if (isLast) await recordOwn(ctx, 'PROOF_THROTTLED', actor.userId, client);
  throw new AppError('WRONG_PASSWORD');
}
