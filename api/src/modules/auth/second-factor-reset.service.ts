/**
 * Staff reset the second factor of a customer who has lost app and recovery codes. It happens a day after the mail about it was sent; until then
 * the link of the mail, or any use of the factor, stops it.
 */
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { AuditReason } from '@cellhop/contract/staff/audit-log.values';
import { SECOND_FACTOR_RESET_PATH } from '@cellhop/contract/auth';
import type { Ctx } from '../../ctx.ts';
import type { Requester } from '../../http/requester.ts';
import { STAFF } from '../../live/changes.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { findSentTime, send } from '../mails/mails.service.ts';
import { findUser, mayStill } from '../users/users.service.ts';
import type { Recipient } from './codes.ts';
import { limitLookups } from './passwords.ts';
import { mailSecondFactorOff } from './security-mails.ts';
import * as store from './second-factor-reset.store.ts';
import { disableSecondFactor, lockOwner } from './second-factor.store.ts';
import { hashSecret, newSecret } from './tokens.ts';

export { findDueTime } from './second-factor-reset.store.ts';

const DELAY_MS = 24 * 60 * 60_000;

/** Why a reset did not happen. */

/** Call it in the transaction that has locked the customer and checked that they have a second factor and no open reset. */
export async function requestReset(
  ctx: Ctx,
  { userId, email: to, languageCode }: Recipient,
  { authorId, reason, requester }: { authorId: string; reason: string; requester: Requester },
): Promise<void> {
  const code = newSecret();
  const dueAt = new Date(Date.now() + DELAY_MS);
  const values = { link: `${ctx.config.publicUrl}${SECOND_FACTOR_RESET_PATH}?code=${code}` };
  const mailId = await send(ctx, userId, { template: 'second-factor-reset', to, languageCode, values }, dueAt);
  await store.insertReset(ctx, { userId, authorId, codeHash: hashSecret(code), mailId, dueAt });
  ctx.changed(STAFF, 'staff-users');
  await record(ctx, { action: 'SECOND_FACTOR_RESET_REQUESTED', actorId: authorId, userId, requester, reason });
}

/** In the transaction that uses the factor, and that blocks or deletes a user, who may be the author. */
export async function stopResets(
  ctx: Ctx,
  stopped: Parameters<typeof store.deleteResets>[1],
  reason: AuditReason,
  requester?: Requester,
): Promise<string[]> {
  const userIds = await store.deleteResets(ctx, stopped);
  for (const userId of userIds) {
    ctx.changed(STAFF, 'staff-users');
    await record(ctx, { action: 'SECOND_FACTOR_RESET_STOPPED', userId, requester, details: { reason } });
  }
  return userIds;
}

/** @returns the language of the user to whom the link was sent; undefined if there is nothing to stop. @throws AppError RATE_LIMITED, UNAVAILABLE */
export function readResetLanguage(ctx: Ctx, code: string, requester: Requester): Promise<LanguageCode | undefined> {
  return limitLookups(requester.ip, false, () => store.findLanguage(ctx, hashSecret(code)));
}

/** The button behind the link. @returns as above. @throws AppError RATE_LIMITED, UNAVAILABLE */
export function stopByLink(ctx: Ctx, code: string, requester: Requester): Promise<LanguageCode | undefined> {
  return limitLookups(requester.ip, false, () =>
    ctx.tx(async (ctx) => {
      const [userId] = await stopResets(ctx, { codeHash: hashSecret(code) }, 'LINK_USED', requester);
      return userId === undefined ? undefined : (await findUser(ctx, userId))?.languageCode;
    }),
  );
}

/** The job: resets what is due. */
export async function resetDue(ctx: Ctx): Promise<void> {
  for (const userId of await store.listDue(ctx)) await ctx.tx((ctx) => resetOrStop(ctx, userId));
}

async function resetOrStop(ctx: Ctx, userId: string): Promise<void> {
  const { permissions } = await lockOwner(ctx, userId);
  const reset = await store.lockReset(ctx, userId);
  if (!reset) return;
  const isAllowed = permissions.length === 0 && (await mayStill(ctx, reset.authorId, 'USERS_EDIT'));
  const sentAt = await findSentTime(ctx, reset.mailId);
  const stop: AuditReason | undefined = reset.isFactorUsed
    ? 'FACTOR_USED'
    : !isAllowed
      ? 'NO_LONGER_ALLOWED'
      : !sentAt
        ? 'MAIL_NOT_SENT'
        : undefined;
  if (stop) return void (await stopResets(ctx, { userId }, stop));
  const dueAt = new Date(sentAt!.getTime() + DELAY_MS);
  // A mail that was sent late.
  if (dueAt.getTime() > Date.now()) return store.postpone(ctx, userId, dueAt);
  await store.deleteResets(ctx, { userId });
  await disableSecondFactor(ctx, userId);
  await mailSecondFactorOff(ctx, userId);
  ctx.changed(STAFF, 'staff-users');
  await record(ctx, { action: 'SECOND_FACTOR_RESET', actorId: reset.authorId, userId, requester: undefined });
}
