/** Confirmation of the email address, which signs in, too, in the browser that signed up. */
import type { SignInResult } from '@cellhop/contract/auth';
import type { Confirmation } from '@cellhop/contract/confirmation-texts';
import { AppError } from '@cellhop/contract/errors';
import type { LanguageCode } from '@cellhop/contract/schemas';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import type { Requester } from '../../http/requester.ts';
import { STAFF } from '../../live/changes.ts';
import * as auditLog from '../audit-log/audit-log.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { announceTrial } from '../notifications/notifications.service.ts';
import { getProfile } from '../profile/profile.service.ts';
import * as referrals from '../referrals/referrals.service.ts';
import { countTrial } from './attempts.ts';
import * as store from './auth.store.ts';
import * as codes from './codes.store.ts';
import { limitLookups } from './passwords.ts';
import { openSession } from './sessions.service.ts';
import { hashSecret, newDeviceToken } from './tokens.ts';

export interface ConfirmationResult {
  confirmation: Confirmation;
  languageCode: LanguageCode | undefined;
  /** The code that signs in for the next five minutes, once, and only with the secret of the browser that signed up. */
  signInId?: string;
}

/** @returns the language of the user to whom a link was sent. @throws AppError RATE_LIMITED, UNAVAILABLE */
export async function readConfirmationLanguage(
  ctx: Ctx,
  code: string,
  requester: Requester,
): Promise<LanguageCode | undefined> {
  const found = await limitLookups(requester.ip, false, () => codes.findCode(ctx, hashSecret(code), 'CONFIRM_EMAIL'));
  return found?.languageCode;
}

/**
 * Also grants the trial credit, once per user even if several links are opened concurrently.
 * @param browserSecret of the sign-up in the browser where the link was opened; undefined without one
 */
export function confirmEmail(
  ctx: Ctx,
  code: string,
  browserSecret: string | undefined,
  requester: Requester,
): Promise<ConfirmationResult> {
  const browserHash = browserSecret === undefined ? undefined : hashSecret(browserSecret);
  return limitLookups(requester.ip, false, () =>
    ctx.tx((ctx) => confirmCode(ctx, hashSecret(code), browserHash, requester)),
  );
}

async function confirmCode(
  ctx: Ctx,
  codeHash: Buffer,
  browserHash: Buffer | undefined,
  requester: Requester,
): Promise<ConfirmationResult> {
  await codes.lockOwner(ctx, codeHash, 'CONFIRM_EMAIL');
  const found = await codes.findCode(ctx, codeHash, 'CONFIRM_EMAIL');
  if (!found || found.status !== 'ACTIVE') return { confirmation: 'UNKNOWN', languageCode: found?.languageCode };
  const { id, userId, languageCode } = found;
  const isSameBrowser = browserHash !== undefined && found.browserHash?.equals(browserHash) === true;
  // A second press, before the page of the first one has signed in: a used code has a hash only where it was pressed.
  if (found.isEmailConfirmed)
    return { confirmation: 'ALREADY_DONE', languageCode, ...(isSameBrowser && found.isUsed && { signInId: id }) };
  if (found.isExpired) return { confirmation: 'TOO_OLD', languageCode };
  const accountId = await store.confirmEmail(ctx, userId);
  if (accountId === undefined) return { confirmation: 'ALREADY_DONE', languageCode };
  await codes.spendCodes(ctx, userId, 'CONFIRM_EMAIL', isSameBrowser ? id : undefined);
  ctx.changed(STAFF, 'staff-users');
  await auditLog.recordOwn(ctx, 'EMAIL_CONFIRMED', userId, requester);
  const trial = await referrals.trialTransfer(ctx, userId, accountId, () => countTrial(ctx, requester.ip));
  if (trial) {
    await ledger.post(ctx, [trial]);
    await announceTrial(ctx, userId, languageCode, toDollars(trial.amountMicros));
  }
  return { confirmation: 'DONE', languageCode, ...(isSameBrowser && { signInId: id }) };
}

/**
 * Opens the session of a user who has just confirmed the address in the browser that signed up. The password was chosen there, so that
 * nothing else is asked; a second factor would be.
 * @param signInId of the confirmation
 * @throws AppError SESSION_NOT_FOUND, RATE_LIMITED, UNAVAILABLE
 */
export async function signInAsConfirmed(
  ctx: Ctx,
  signInId: string,
  browserSecret: string | undefined,
  requester: Requester,
): Promise<SignInResult> {
  if (browserSecret === undefined) throw new AppError('SESSION_NOT_FOUND');
  return limitLookups(requester.ip, false, () =>
    ctx.tx(async (ctx) => {
      const userId = await codes.takeBrowser(ctx, signInId, hashSecret(browserSecret));
      const user = userId === undefined ? undefined : await store.findCredentialsOfUser(ctx, userId);
      if (!user?.isEmailConfirmed || user.hasSecondFactor) throw new AppError('SESSION_NOT_FOUND');
      const tokens = await openSession(ctx, user, requester);
      if (!tokens) throw new AppError('SESSION_NOT_FOUND');
      const profile = await getProfile(ctx, user.userId);
      return { ...tokens, deviceToken: newDeviceToken(ctx.config.secretKeys, user), profile };
    }),
  );
}
