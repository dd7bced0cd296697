/** Deletion of accounts by staff and by their owners. The ledger, receipts and the audit log stay. */
import { AppError } from '@cellhop/contract/errors';
import type { DeleteAccountBody } from '@cellhop/contract/auth.forms';
import type { DeleteUserBody, StaffUser } from '@cellhop/contract/staff/users';
import { toMicros } from '@cellhop/contract/units';
import { createHmac } from 'node:crypto';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { STAFF } from '../../live/changes.ts';
import { deriveKey } from '../../secrets/keys.ts';
import { refuseStale } from '../../db/refusals.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { waiveBalance } from '../approvals/waiver.service.ts';
import { removeCredentials } from '../auth/credentials-removal.service.ts';
import { requireProof } from '../auth/second-factor.service.ts';
import { finishEnds, requestEndsOfUser } from '../billing/ending.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { forgetAddress } from '../referrals/referrals.service.ts';
import { removeCompany } from '../profile/profile.service.ts';
import { deleteFilesOfUser } from '../tickets/ticket-files.service.ts';
import * as users from '../users/users.service.ts';
import {
  findRole,
  lockExisting,
  lockPermissions,
  requireAdministrator,
  requirePermissions,
} from './permission-rules.ts';
import { getUser } from './user-directory.service.ts';

/** The user may top up and buy between two attempts. */
const ATTEMPTS = 3;
const HASH_LENGTH = 32;

interface Deletion {
  /** Undefined: by the owner. */
  reason?: string;
  version?: number | undefined;
  /** The owner gives up a balance of at most this much. */
  waivedMicros?: bigint;
  actor: Actor;
  userId: string;
  requester: Requester;
}

/**
 * Ends the open connections first. If that refunds money, the account is not deleted.
 * @throws AppError NOT_FOUND, PERMISSION_LACKING, LAST_ADMINISTRATOR, BALANCE_NOT_ZERO, CHANGED_ELSEWHERE
 */
export async function deleteUser(
  ctx: Ctx,
  actor: Actor,
  userId: string,
  body: DeleteUserBody,
  requester: Requester,
): Promise<StaffUser> {
  await deleteAfterEnds(ctx, { ...body, actor, userId, requester });
  return getUser(ctx, userId);
}

/**
 * The same by the owner, who proves who they are, and may give up a balance.
 * @throws AppError WRONG_PASSWORD, SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID, RATE_LIMITED, LAST_ADMINISTRATOR, BALANCE_NOT_ZERO,
 *   CHANGED_ELSEWHERE
 */
export async function deleteOwnAccount(
  ctx: Ctx,
  actor: Actor,
  { password, secondFactorCode, waivedBalance = 0 }: DeleteAccountBody,
  requester: Requester,
): Promise<void> {
  await requireProof(ctx, actor, { password, code: secondFactorCode }, requester);
  const waivedMicros = toMicros(waivedBalance);
  await deleteAfterEnds(ctx, { actor, userId: actor.userId, waivedMicros, requester });
}

async function deleteAfterEnds(ctx: Ctx, deletion: Deletion): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const endingIds = await ctx.tx((ctx) => deleteOrRequestEnds(ctx, deletion));
    if (endingIds.length === 0) return;
    await finishEnds(ctx, endingIds);
  }
  throw new AppError('CHANGED_ELSEWHERE');
}

/** @returns the open connections, whose ends were requested instead; empty if the account was deleted */
async function deleteOrRequestEnds(ctx: Ctx, deletion: Deletion): Promise<string[]> {
  const { actor, userId, reason, version, requester, waivedMicros = 0n } = deletion;
  const state = await lockPermissions(ctx, actor);
  const user = await lockExisting(ctx, userId);
  refuseStale(version, user.version);
  requirePermissions(state, (await findRole(ctx, user.roleName)).permissions);
  requireAdministrator(state, ({ id }) => id === userId);
  const { balanceMicros } = await ledger.lockBalance(ctx, user.accountId);
  if (balanceMicros > waivedMicros) throw new AppError('BALANCE_NOT_ZERO');
  const entry = { actorId: actor.userId, userId, requester, reason };
  const endingIds = await requestEndsOfUser(ctx, userId, user.accountId);
  if (endingIds.length > 0) {
    const details = { endedConnections: endingIds.length };
    await record(ctx, { ...entry, action: 'USER_CONNECTIONS_ENDED', details });
    return endingIds;
  }
  const endedSessions = await removeCredentials(ctx, userId, actor.userId === userId ? requester : undefined);
  const email = hashEmail(ctx, userId, user.email);
  await removeCompany(ctx, userId);
  await deleteFilesOfUser(ctx, userId);
  await forgetAddress(ctx, userId);
  await users.markDeleted(ctx, userId, email);
  ctx.changed(STAFF, 'staff-users');
  await record(ctx, {
    ...entry,
    action: 'USER_DELETED',
    details: { endedSessions },
    before: { status: user.status, role: user.roleName },
    after: { status: 'DELETED' },
  });
  if (balanceMicros > 0n)
    await waiveBalance(ctx, { userId, accountId: user.accountId, amountMicros: balanceMicros, requester });
  return [];
}

/** A keyed hash, so that the address cannot be guessed, and not a valid address, so that it cannot be used to sign up. */
function hashEmail({ config }: Ctx, userId: string, email: string): string {
  const hmac = createHmac('sha256', deriveKey(config.secretKeys, 'deleted-emails'));
  return `deleted:${hmac.update(`${userId}:${email}`).digest('hex').slice(0, HASH_LENGTH)}`;
}
