/** What the operator does at the command line after a leak. */
import type { Ctx } from '../../ctx.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { resetPasswords } from './auth.store.ts';
import { hashPassword, knownUser } from './passwords.ts';
import { revokeSessionsRefreshed } from './sessions.store.ts';
import { newSecret } from './tokens.ts';

/** @param resetsPasswords all passwords stop working: users recover them by email */
export async function endEverySession(
  ctx: Ctx,
  resetsPasswords: boolean,
): Promise<{ endedCount: number; resetCount: number | undefined }> {
  // Of a random password that is not stored.
  const passwordHash = resetsPasswords ? await hashPassword(newSecret(), knownUser('operator')) : undefined;
  return ctx.tx(async (ctx) => {
    // Before the sessions: a sign-in that compares the old hash meanwhile opens none.
    const resetCount = passwordHash === undefined ? undefined : await resetPasswords(ctx, passwordHash);
    const endedCount = await revokeSessionsRefreshed(ctx, null, null);
    await record(ctx, {
      action: 'EVERY_SESSION_ENDED',
      requester: undefined,
      details: { count: endedCount, resetCount: resetCount ?? 0 },
    });
    return { endedCount, resetCount };
  });
}
