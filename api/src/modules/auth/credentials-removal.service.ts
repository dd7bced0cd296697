import type { Ctx } from '../../ctx.ts';
import type { Requester } from '../../http/requester.ts';
import { updatePassword } from './auth.store.ts';
import { spendCodes } from './codes.store.ts';
import { deleteDevices } from './known-devices.store.ts';
import { stopResets } from './second-factor-reset.service.ts';
import { disableSecondFactor } from './second-factor.store.ts';
import { mailAccountDeleted } from './security-mails.ts';
import { revokeSessionsOfUser } from './sessions.store.ts';

/** No password has this hash. */
const NO_PASSWORD = 'none';

/**
 * Removes the credentials and devices of a deleted user, and tells them. Call it in the transaction of the deletion, while it has the address.
 * @param requester undefined: not the user
 * @returns the number of ended sessions
 */
export async function removeCredentials(ctx: Ctx, userId: string, requester?: Requester): Promise<number> {
  await mailAccountDeleted(ctx, userId, requester);
  await updatePassword(ctx, userId, NO_PASSWORD);
  await stopResets(ctx, { userId, authorId: userId }, 'USER_BLOCKED');
  await disableSecondFactor(ctx, userId);
  await spendCodes(ctx, userId, 'CONFIRM_EMAIL');
  await spendCodes(ctx, userId, 'RECOVER_PASSWORD');
  await deleteDevices(ctx, userId);
  return revokeSessionsOfUser(ctx, userId);
}
